package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/listing"
	"github.com/pintle-wasm/pintle/runtime"
)

// An offer is what a contribution or an adapter says of itself, by field.
type offer struct {
	key    changeKey // without a field
	fields []offerField
}

type offerField struct {
	name     string
	value    any
	audience *audience // who the offer is for, if the field says that
}

// An audience is who an offer is for.
type audience struct {
	what  string // provider, api, …
	all   bool   // everybody; names are none then
	names []string
}

func (d *difference) contributions(old, new []abi.Contribution) {
	offers := func(list []abi.Contribution) []offer {
		var all []offer
		for i := range list {
			all = append(all, contributionOffer(&list[i]))
		}
		return all
	}
	d.offers(offers(old), offers(new))
}

func contributionOffer(c *abi.Contribution) offer {
	who := &audience{what: "provider", all: c.Providers == nil}
	var providers any = "every provider"
	if c.Providers != nil {
		who.names = *c.Providers
		providers = append([]string{}, *c.Providers...)
	}
	return offer{changeKey{Part: string(runtime.PartContribution), ID: c.ID}, []offerField{
		{"interface", c.Interface, nil},
		{"priority", c.Priority, nil},
		{"providers", providers, who},
		{"activeTools", c.ActiveTools, nil},
		{"needs", c.Needs, nil},
		{"volatility", cmp.Or(c.Volatility, abi.VolatilityTurn), nil},
	}}
}

func (d *difference) adapters(old, new []abi.Adapter) {
	offers := func(list []abi.Adapter) []offer {
		var all []offer
		for i := range list {
			all = append(all, adapterOffer(&list[i]))
		}
		return all
	}
	d.offers(offers(old), offers(new))
}

func adapterOffer(a *abi.Adapter) offer {
	who := func(what string, names []string) *audience { return &audience{what, len(names) == 0, names} }
	return offer{changeKey{Part: string(runtime.PartAdapter), ID: a.ID, Interface: a.Interface}, []offerField{
		{"providers", a.Providers, who("provider", a.Providers)},
		{"apis", a.APIs, who("api", a.APIs)},
		{"models", a.Models, who("model", a.Models)},
		{"operations", a.Operations, &audience{what: "operation", names: a.Operations}},
		{"view", a.View, nil},
		{"write", a.Write, nil},
	}}
}

// offers compares offers of one kind. One that is the only one of its id on either side is the same offer,
// also if its interface is another.
func (d *difference) offers(old, new []offer) {
	var gone []offer
	left := slices.Clone(new)
	for _, o := range old {
		i := slices.IndexFunc(left, func(n offer) bool { return n.key == o.key })
		if i < 0 {
			gone = append(gone, o)
			continue
		}
		d.fields(o, left[i])
		left = slices.Delete(left, i, i+1)
	}
	for _, o := range gone {
		i := slices.IndexFunc(left, func(n offer) bool { return n.key.ID == o.key.ID })
		if i < 0 {
			d.add(o.key, o.values(), nil, quotedOffer(o.key)+" is gone")
			continue
		}
		d.moved(o, left[i])
		d.fields(o, left[i])
		left = slices.Delete(left, i, i+1)
	}
	for _, n := range left {
		d.added(n)
	}
}

// moved notes that an adapter offers another interface. That it is a new adapter to a grant is part of it.
func (d *difference) moved(old, new offer) {
	key := new.key
	key.Field = "interface"
	d.wider[key] = d.wider[new.key]
	delete(d.wider, new.key)
	d.add(key, old.key.Interface, new.key.Interface, olderInterface(old.key.Interface, new.key.Interface)...)
}

// added notes a new offer. What widens in its fields is part of it.
func (d *difference) added(n offer) {
	for _, f := range n.fields {
		key := n.key
		key.Field = f.name
		d.wider[n.key] = append(d.wider[n.key], d.wider[key]...)
		delete(d.wider, key)
	}
	d.add(n.key, nil, n.values())
}

func (d *difference) fields(old, new offer) {
	for i, f := range old.fields {
		key, to := new.key, new.fields[i]
		key.Field = f.name
		var breaks []string
		switch {
		case f.name == "operations" && old.key.Interface != new.key.Interface:
			// another interface has others
		case f.audience != nil:
			breaks = f.audience.lost(old.key, to.audience)
		case f.name == "activeTools":
			if more := listing.Missing(f.value.([]string), to.value.([]string)); len(more) > 0 {
				breaks = append(breaks, fmt.Sprintf("%s no longer renders without tool %s", quotedOffer(old.key), listing.Quoted(more)))
			}
		case f.name == "interface":
			breaks = olderInterface(f.value.(string), to.value.(string))
		}
		d.add(key, f.value, to.value, breaks...)
	}
}

// lost says for whom an offer no longer is.
func (a *audience) lost(key changeKey, now *audience) []string {
	offer := quotedOffer(key)
	switch gone := listing.Missing(now.names, a.names); {
	case now.all:
		return nil
	case a.what == "operation" && len(gone) > 0:
		return []string{fmt.Sprintf("%s no longer has operation %s", offer, listing.Quoted(gone))}
	case a.all && len(now.names) == 0:
		return []string{fmt.Sprintf("%s is for no %s", offer, a.what)}
	case a.all && a.what != "operation":
		return []string{fmt.Sprintf("%s is only for %s %s", offer, a.what, listing.Quoted(now.names))}
	case len(gone) > 0:
		return []string{fmt.Sprintf("%s is no longer for %s %s", offer, a.what, listing.Quoted(gone))}
	}
	return nil
}

// values are the fields of an offer that say something.
func (o *offer) values() map[string]any {
	values := map[string]any{}
	for _, f := range o.fields {
		if v := present(f.value); v != nil {
			values[f.name] = v
		}
	}
	return values
}

func quotedOffer(key changeKey) string {
	name := fmt.Sprintf("%s %q", key.Part, key.ID)
	if key.Interface != "" {
		name += " of " + key.Interface
	}
	return name
}

// olderInterface says so if an interface is an older version than before, or another one.
func olderInterface(old, new string) []string {
	name, from, _ := strings.Cut(old, "/v")
	other, to, _ := strings.Cut(new, "/v")
	switch {
	case name != other:
		return []string{fmt.Sprintf("it is of %s and was of %s", new, old)}
	case len(to) < len(from) || len(to) == len(from) && to < from: // numbers without leading zeros
		return []string{fmt.Sprintf("%s is older than %s", new, old)}
	}
	return nil
}
