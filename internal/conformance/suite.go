package conformance

// developerMessages is the family of the Pi prompt-envelope extension.
func developerMessages() Suite {
	payloads := func(*testCase) []string { return []string{"replacedSystem", "replacedDeveloper", "both"} }
	return Suite{
		"registry-render":        {run: registryRender, bind: looseErrors},
		"content-trim":           {run: contentTrim},
		"id-order":               {run: idOrder},
		"environment":            {run: environment},
		"provider-instructions":  {run: providerInstructions},
		"context-files":          {run: contextFiles},
		"serialize":              {run: serialize},
		"settings":               {run: runSettings, bind: bindSettings},
		"audit-render":           {run: auditRender, bind: bindAuditRender},
		"adapter-selection-v039": {run: adapterSelection, bind: bindSelection},
		"codex-adapter":          {run: codexAdapter, bind: bindCodex, bothModes: true, ordered: payloads},
		"openai-adapters-v039":   {run: openaiAdapter, bothModes: true, ordered: payloads},
		"sound-adapters":         {run: soundAdapter, ordered: payloads},
		"registry-lifecycle":     {run: runSteps, bind: looseErrors, steps: true},
		"payload-hook":           {run: runSteps, bind: looseErrors, steps: true, bothModes: true, ordered: codexPayloads},
		"context-injection":      {run: runSteps, bind: looseErrors, steps: true},
		"envelope-service":       {run: runSteps, bind: looseErrors, steps: true},
		"audit":                  {run: runSteps, bind: looseErrors, steps: true},
		"js-slots":               {leftOut: "about the process-wide slots of a JavaScript process: for a TypeScript client to run"},
	}
}

// codexPayloads: in a payload hook the order of keys binds only if the Codex adapter is in use.
func codexPayloads(c *testCase) []string {
	for _, step := range c.input.Get("steps").items {
		if step.Get("adapter").str("") == "codex" {
			return []string{"payload"}
		}
	}
	return nil
}
