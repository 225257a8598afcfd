package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/model"
)

func newModels() *cobra.Command {
	var host, provider string
	cmd := &cobra.Command{
		Use:   "models FILE",
		Short: "Show the models of providers as a host lists them",
		Long: `Show the models of a provider as a host would list them: one row for each model that variants make,
with the levels of thinking that are left to choose from. The level "thinks" is that of a model that
thinks and leaves nothing to choose; "-" stands for no thinking, a limit below 0, and no cost at all.

The file has a configuration as a provider's plugin leaves it, {"provider": {id: {"models": {…}}}}, or the
map of providers alone, as models.dev has it. "-" reads standard input. An id that several rows share is
named below them: each of them is called as the last. What a host takes without a word and nobody can have
meant, such as an entry that is no object, is warned of.

With --json the models are in the host's own form, one list for each provider, and "clashes" has the ids
that several of them share, with their places in the list.

  pintle models opencode.json --host omp
  curl -s https://models.dev/api.json | pintle models - --provider anthropic

` + exitHelp,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: filesOf("json"),
		RunE:              func(cmd *cobra.Command, args []string) error { return runModels(cmd, args[0], host, provider) },
	}
	hostFlag(cmd, &host, defaultHost, "the host that lists them")
	cmd.Flags().StringVar(&provider, "provider", "", "id of the only provider to show")
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.NoFileCompletions)
	return cmd
}

// A listedProvider is what a host lists of one provider, as data.
type listedProvider struct {
	Provider string        `json:"provider"`
	Host     string        `json:"host"`
	Models   []model.Model `json:"models"`
	// Clashes are the ids that several of the models have.
	Clashes []idClash `json:"clashes"`
}

// An idClash is an id that several models have: each of them is called as the last.
type idClash struct {
	ID     string `json:"id"`
	Models []int  `json:"models"` // indices
}

func runModels(cmd *cobra.Command, path, host, provider string) error {
	p, err := hostProfile(host)
	if err != nil {
		return err
	}
	document, err := readInput(cmd, path)
	if err != nil {
		return err
	}
	if err := checkJSON(path, document); err != nil {
		return err
	}
	for _, fault := range modelFaults(document, provider) {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s: %s\n", oneLine(inputName(path), 200), fault)
	}
	catalogs, err := model.List(document, model.Options{Profile: p})
	if err != nil {
		return &usageError{err: fmt.Errorf("%s: %w", inputName(path), err)}
	}
	if provider != "" {
		if catalogs, err = onlyProvider(catalogs, provider); err != nil {
			return err
		}
	}
	listed := make([]listedProvider, 0, len(catalogs))
	for _, c := range catalogs {
		l := listedProvider{Provider: c.ProviderID, Host: p.Name, Models: c.Models(), Clashes: []idClash{}}
		for _, clash := range c.Clashes() {
			l.Clashes = append(l.Clashes, idClash{clash.ID, clash.Rows})
		}
		listed = append(listed, l)
	}
	if asJSON(cmd) {
		return printJSON(cmd, listed)
	}
	out := newPrinter(cmd.OutOrStdout())
	for i := range listed {
		if i > 0 {
			out.printf("\n")
		}
		printModels(out, &listed[i])
	}
	return out.err
}

func onlyProvider(catalogs []*model.Catalog, id string) ([]*model.Catalog, error) {
	ids := make([]string, 0, len(catalogs))
	for _, c := range catalogs {
		if c.ProviderID == id {
			return []*model.Catalog{c}, nil
		}
		ids = append(ids, c.ProviderID)
	}
	if len(ids) == 0 {
		return nil, &usageError{err: fmt.Errorf("there is no provider %q", id), hint: "the file has none at all"}
	}
	return nil, &usageError{err: fmt.Errorf("there is no provider %q", id), hint: "the file has " + oneLine(strings.Join(ids, ", "), 600)}
}

func printModels(p *printer, l *listedProvider) {
	p.printf("%s  %s, as %s lists them\n", p.paint(bold, orNone(oneLine(l.Provider, 80))), plural(len(l.Models), "model"), l.Host)
	rows := [][]string{{"id", "name", "levels", "context", "output", "input", "cost: in, out, cache read, write"}}
	if len(l.Models) == 0 {
		return
	}
	for i := range l.Models {
		m := &l.Models[i]
		rows = append(rows, []string{oneLine(m.ID, 60), oneLine(m.Name, 60), levelsText(m), tokensText(m.ContextWindow),
			tokensText(m.MaxTokens), strings.Join(m.Input, ", "), costText(m.Cost)})
	}
	printColumns(p, rows)
	for _, clash := range l.Clashes {
		last := &l.Models[slices.Max(clash.Models)]
		p.printf("  %s: %s have this id, and each of them is called as the last, %s\n", p.paint(red, "! "+oneLine(clash.ID, 80)),
			plural(len(clash.Models), "model"), oneLine(last.Name, 80))
	}
}

// printColumns prints rows below a first one of titles; each column is as wide as its widest value.
func printColumns(p *printer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for at, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "  %-*s", widths[i], cell)
		}
		text := strings.TrimRight(line.String(), " ")
		if at == 0 {
			text = p.paint(dim, text)
		}
		p.printf("%s\n", text)
	}
}

// levelsText lists the levels of thinking.
func levelsText(m *model.Model) string {
	switch {
	case len(m.Thinking.Levels) > 0:
		return strings.Join(m.Thinking.Levels, ", ")
	case m.Reasoning:
		return "thinks"
	}
	return "-"
}

// tokensText is a number of tokens, short where that is exact.
func tokensText(n int64) string {
	switch {
	case n < 0:
		return "-"
	case n >= 1_000_000 && n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000 && n%1000 == 0:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func costText(c model.Cost) string {
	if c == (model.Cost{}) {
		return "-"
	}
	return fmt.Sprintf("%v, %v, %v, %v", c.Input, c.Output, c.CacheRead, c.CacheWrite)
}
