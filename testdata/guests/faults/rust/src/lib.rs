//! The guest in Rust that fails: it panics, recurses without end, allocates without end, and loops without
//! end. The host's errors have to name the function that did. One contribution is well, to show that the guest
//! is as good as before.

use pintle::Result;

pintle::guest! {
    contributions: {
        "calm" => |_| Ok(Some("calm".into())),
        "sink" => |_| fails(sink),
        "dive" => |_| fails(|| dive(1)),
        "hoard" => |_| fails(hoard),
        "spin" => |_| fails(spin),
    },
}

/// Uses what the function returns, so that no compiler drops the call.
fn fails(fault: impl Fn() -> u32) -> Result<Option<String>> {
    Ok(Some(fault().to_string()))
}

#[inline(never)]
fn sink() -> u32 {
    panic!("no tide today")
}

/// Needs its own result after the call, so that it is no loop.
#[inline(never)]
fn dive(depth: u32) -> u32 {
    if depth == 0 {
        return 0; // never: the stack ends before the numbers do
    }
    dive(depth + 1).rotate_left(1) ^ depth
}

#[inline(never)]
fn hoard() -> u32 {
    let mut hold = Vec::new();
    loop {
        hold.push(vec![1u8; 64 << 10]);
    }
}

/// Counts odd numbers until it comes to nought.
#[inline(never)]
fn spin() -> u32 {
    let mut turns: u32 = 1;
    while turns != 0 {
        turns = turns.wrapping_add(2);
    }
    turns
}
