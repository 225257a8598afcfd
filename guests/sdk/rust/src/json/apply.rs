use super::check::string_in;
use super::node::{Kind, Node, Slot};
use super::Document;
use crate::edit::{Edit, Op};
use crate::error::{Error, Result};
use crate::json::quote;
use crate::order::order;

const MAX_STEPS: usize = 64;

impl<'a> Document<'a> {
    /// The document with edits, which the host would carry out in the same way in version 2 of the
    /// interface. So an adapter can offer both versions with the same edits. Everything outside them
    /// stays byte for byte. Of several members with one name the last one is meant.
    ///
    /// It fails, and nothing is changed, if an edit has an address that does not exist, or if two edits
    /// cannot both be meant. Values are taken as they are.
    pub fn apply(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        let mut out = String::with_capacity(
            self.text.len() + edits.iter().map(|e| e.value.len() + 32).sum::<usize>(),
        );
        out.push_str(&self.text[..self.top.from]);
        let edits: Vec<&Edit> = edits.iter().collect();
        if let Some(edit) =
            edits.iter().find(|e| e.at.len() > MAX_STEPS || e.at.is_empty() && in_container(e))
        {
            return Err(fault(edit, "no place for it"));
        }
        write(&mut out, self.top, 0, &edits)?;
        out.push_str(&self.text[self.top.to..]);
        Ok(out.into_bytes())
    }
}

/// Whether what an edit changes is the list or object around its address.
fn in_container(edit: &Edit) -> bool {
    matches!(edit.op, Op::Insert | Op::Remove)
}

fn fault(edit: &Edit, what: &str) -> Error {
    Error::new(["edit at ", &edit.at.to_string(), ": ", what].concat())
}

const CONFLICT: &str = "another edit sets or removes this, or something around it";

/// Writes a value with the edits at and below it. They have come this deep.
fn write(out: &mut String, node: Node<'_>, depth: usize, edits: &[&Edit]) -> Result<()> {
    if edits.is_empty() {
        out.push_str(node.raw());
        return Ok(());
    }
    let (own, below): (Vec<&Edit>, Vec<&Edit>) = edits.iter().partition(|e| e.at.len() == depth);
    if !own.is_empty() {
        if let Some(edit) = below.first() {
            return Err(fault(edit, CONFLICT));
        }
        return write_own(out, Some(node.raw()), &own);
    }
    match node.kind() {
        Kind::List => write_list(out, node, depth, &below),
        Kind::Object => write_object(out, node, depth, &below),
        _ => Err(fault(below[0], "it leads into a value with nothing inside")),
    }
}

/// Writes a value that is set or appended to.
fn write_own(out: &mut String, before: Option<&str>, edits: &[&Edit]) -> Result<()> {
    let (sets, appends): (Vec<&Edit>, Vec<&Edit>) = edits.iter().partition(|e| e.op == Op::Set);
    if let Some(second) = sets.get(1) {
        return Err(fault(second, CONFLICT));
    }
    let value = sets.first().map(|e| e.value.as_str()).or(before);
    let first = match appends.first() {
        Some(edit) => edit,
        None => {
            out.push_str(value.unwrap_or_default());
            return Ok(());
        }
    };
    let whole =
        value.and_then(string_in).ok_or_else(|| fault(first, "it appends to what is no string"))?;
    out.push_str(&whole[..whole.len() - 1]);
    for edit in &appends {
        let more = string_in(&edit.value).ok_or_else(|| fault(edit, "it appends what is no string"))?;
        out.push_str(&more[1..more.len() - 1]);
    }
    out.push('"');
    Ok(())
}

/// Splits the edits of one element or member into inserts in front of it, whether it is removed, and
/// the rest.
fn sort<'e>(edits: &[&'e Edit], depth: usize) -> Result<(Vec<&'e Edit>, bool, Vec<&'e Edit>)> {
    let (inserts, others): (Vec<&Edit>, Vec<&Edit>) =
        edits.iter().partition(|e| e.at.len() == depth + 1 && e.op == Op::Insert);
    let removed = others.iter().any(|e| e.at.len() == depth + 1 && e.op == Op::Remove);
    if removed && others.len() > 1 {
        return Err(fault(others[1], CONFLICT));
    }
    Ok((inserts, removed, others))
}

/// Writes the items of a list or object, with one comma between them.
struct Items<'o> {
    out: &'o mut String,
    any: bool,
}

impl<'o> Items<'o> {
    fn next(&mut self) -> &mut String {
        if self.any {
            self.out.push(',');
        }
        self.any = true;
        self.out
    }
}

fn write_list(out: &mut String, node: Node<'_>, depth: usize, edits: &[&Edit]) -> Result<()> {
    if let Some(edit) = edits.iter().find(|e| e.at.index(depth).is_none()) {
        return Err(fault(edit, "a list has no members"));
    }
    let index = |e: &Edit| e.at.index(depth).unwrap_or_default();
    let sorted = order(edits.len(), &|a, b| index(edits[a]).cmp(&index(edits[b])));
    let sorted: Vec<&Edit> = sorted.iter().map(|i| edits[*i]).collect();
    let mut rest = &sorted[..];
    let mut at = |place: usize| {
        let (here, behind) = rest.split_at(rest.iter().take_while(|e| index(e) == place).count());
        rest = behind;
        here
    };
    out.push('[');
    let mut items = Items { out, any: false };
    let mut length = 0;
    for slot in node.slots() {
        let (inserts, removed, others) = sort(at(length), depth)?;
        length += 1;
        inserts.iter().for_each(|e| items.next().push_str(&e.value));
        if !removed {
            write_slot(items.next(), node, &slot, depth, &others)?;
        }
    }
    let (inserts, _, others) = sort(at(length), depth)?;
    inserts.iter().for_each(|e| items.next().push_str(&e.value));
    if let Some(edit) = others.first().or_else(|| rest.first()) {
        return Err(fault(edit, "the list ends before it"));
    }
    out.push(']');
    Ok(())
}

/// Writes an element or member with the white space around it.
fn write_slot(
    out: &mut String,
    node: Node<'_>,
    slot: &Slot<'_>,
    depth: usize,
    edits: &[&Edit],
) -> Result<()> {
    out.push_str(&node.text[slot.from..slot.value.from]);
    write(out, slot.value, depth + 1, edits)?;
    out.push_str(&node.text[slot.value.to..slot.to]);
    Ok(())
}

/// The edits at and below one member.
struct Member<'e> {
    name: &'e str,
    edits: Vec<&'e Edit>,
    first: usize,         // which of all the edits is the first of these
    place: Option<usize>, // the last member with the name, if there is one
}

/// Gathers edits by the member that they lead to, in the order of the names.
fn gather<'e>(edits: &[&'e Edit], depth: usize) -> Result<Vec<Member<'e>>> {
    if let Some(edit) = edits.iter().find(|e| e.at.name(depth).is_none()) {
        return Err(fault(edit, "an object has no elements"));
    }
    let mut members: Vec<Member<'e>> = Vec::new();
    let name = |i: usize| edits[i].at.name(depth).unwrap_or_default();
    for i in order(edits.len(), &|a, b| name(a).cmp(name(b))) {
        match members.last_mut() {
            Some(last) if last.name == name(i) => last.edits.push(edits[i]),
            _ => members.push(Member { name: name(i), edits: vec![edits[i]], first: i, place: None }),
        }
    }
    Ok(members)
}

fn write_object(out: &mut String, node: Node<'_>, depth: usize, edits: &[&Edit]) -> Result<()> {
    let mut members = gather(edits, depth)?;
    for (i, slot) in node.slots().enumerate() {
        if let Some(name) = slot.name() {
            if let Ok(found) = members.binary_search_by(|member| member.name.cmp(&name)) {
                members[found].place = Some(i);
            }
        }
    }
    // Those that are there in the order of the document, then the new ones in that of the edits.
    let key = |i: usize| (members[i].place.unwrap_or(usize::MAX), members[i].first);
    let sorted = order(members.len(), &|a, b| key(a).cmp(&key(b)));
    let mut rest = sorted.iter().map(|i| &members[*i]).peekable();
    out.push('{');
    let mut items = Items { out, any: false };
    for (i, slot) in node.slots().enumerate() {
        let here = rest.next_if(|member| member.place == Some(i));
        let (inserts, removed, others) = sort(here.map_or(&[], |member| &member.edits), depth)?;
        if let Some(edit) = inserts.first() {
            return Err(fault(edit, "it inserts into what is no list"));
        }
        if !removed {
            write_slot(items.next(), node, &slot, depth, &others)?;
        }
    }
    for new in rest {
        if let Some(edit) = new.edits.iter().find(|e| e.at.len() > depth + 1 || in_container(e)) {
            return Err(fault(edit, "the object has no such member"));
        }
        let out = items.next();
        out.push_str(&quote(new.name));
        out.push(':');
        write_own(out, None, &new.edits)?;
    }
    out.push('}');
    Ok(())
}
