package conformance

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/host/profile/hashline"
)

func hashlineCases() Suite {
	return Suite{"hashline": {run: hashlineCase}}
}

func hashlineCase(_ context.Context, c *testCase) (any, error) {
	in := c.input
	switch op := in.Get("op").str(""); op {
	case "parse":
		return parsedPatch(hashline.Parse(in.Get("input").str(""))), nil
	case "overlap":
		return hashline.Overlap(rangesOf(in.Get("left")), rangesOf(in.Get("right"))), nil
	case "coalesce":
		return coalesced(in), nil
	case "claims":
		return claimed(in.Get("steps"))
	case "minted":
		var minted hashline.Minted
		for _, pair := range in.Get("minted").items {
			minted.Record(pair.items[0].str(""), pair.items[1].str(""))
		}
		return minted.Known(in.Get("path").str(""), in.Get("tag").str("")), nil
	case "overlay-args":
		edit, err := hashline.ParseEdit(in.Get("params").raw)
		if err != nil {
			return editFailure(err)
		}
		out := fields{"path", edit.Path, "old_string", edit.Old, "new_string", edit.New}
		if edit.All {
			out = append(out, "replace_all", true)
		}
		return out, nil
	case "overlay-replace":
		edit := hashline.Edit{
			Old: in.Get("oldString").str(""), New: in.Get("newString").str(""), All: in.Get("replaceAll").isTrue(),
		}
		text, _, err := edit.Replace(in.Get("source").str(""))
		if err != nil {
			return editFailure(err)
		}
		return fields{"text", text}, nil
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

func parsedPatch(p hashline.Patch) fields {
	out := fields{}
	if p.Headed {
		out = append(out, "path", p.Path)
	}
	if p.Tag != "" {
		out = append(out, "tag", p.Tag)
	}
	ranges := make([]any, len(p.Ranges))
	for i, r := range p.Ranges {
		var end any = r.End
		if r.End == hashline.Open {
			end = "inf"
		}
		ranges[i] = fields{"start", r.Start, "end", end}
	}
	return append(out, "ranges", ranges)
}

func rangesOf(list Value) []hashline.Range {
	ranges := make([]hashline.Range, len(list.items))
	for i, pair := range list.items {
		ranges[i] = hashline.Range{Start: int64(pair.items[0].number()), End: hashline.Open}
		if end := pair.items[1]; end.str("") != "inf" {
			ranges[i].End = int64(end.number())
		}
	}
	return ranges
}

// coalesced hands patches in at one moment, on a clock that goes on when all have joined.
func coalesced(in Value) fields {
	applied := []any{}
	apply := func(_ context.Context, merged string, size int) (string, error) {
		applied = append(applied, fields{"merged", merged, "size", size})
		if thrown := in.Get("apply").Get("throws"); thrown.present() {
			return "", errors.New(thrown.text)
		}
		returns := in.Get("apply").Get("returns").str("")
		return strings.ReplaceAll(returns, "{n}", strconv.Itoa(len(applied))), nil
	}
	type timer struct {
		due  func()
		live bool
	}
	var timers []*timer
	window := time.Duration(in.Get("windowMs").number()) * time.Millisecond
	c := hashline.NewCoalescer(window, func(_ time.Duration, due func()) func() bool {
		t := &timer{due, true}
		timers = append(timers, t)
		return func() bool {
			was := t.live
			t.live = false
			return was
		}
	}, apply)
	var members []*hashline.Member[string]
	for _, m := range in.Get("members").items {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		abort, reason := m.Get("abort").str(""), errors.New(m.Get("abortReason").str(""))
		if abort == "before" {
			cancel(reason)
		}
		joined := c.Join(ctx, m.Get("input").str(""))
		if abort == "during" {
			cancel(reason)
			_, _ = joined.Wait() // it is left out at once
		}
		members = append(members, joined)
	}
	for _, t := range timers {
		if t.live {
			t.due()
		}
	}
	results := make([]any, len(members))
	for i, m := range members {
		if text, err := m.Wait(); err != nil {
			results[i] = fields{"error", err.Error()}
		} else {
			results[i] = fields{"ok", text}
		}
	}
	return fields{"applied", applied, "results", results}
}

func claimed(steps Value) (any, error) {
	var claims hashline.Claims
	results := make([]string, len(steps.items))
	for i, step := range steps.items {
		if step.items[0].str("") == "reset" {
			claims.Reset()
			results[i] = "reset"
			continue
		}
		_, err := claims.Claim(hashline.Parse(step.items[1].str("")))
		switch {
		case err == nil:
			results[i] = "ok"
		case errors.Is(err, hashline.ErrOverlap):
			results[i] = "overlap"
		default:
			return nil, err
		}
	}
	return results, nil
}

func editFailure(err error) (any, error) {
	for kind, known := range map[string]error{
		"missing-fields": hashline.ErrMissingFields, "empty-old": hashline.ErrEmptyOld,
		"not-found": hashline.ErrNotFound, "ambiguous": hashline.ErrAmbiguous,
	} {
		if errors.Is(err, known) {
			return fields{"errorKind", kind}, nil
		}
	}
	return nil, err
}
