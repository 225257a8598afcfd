package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/host/session"
)

// The environment variables that tell an agent under test what to do: the file with the case's input, whose
// script stands in for the model, and the folder to keep the logs in.
const (
	AgentScript   = "PINTLE_ACP_SCRIPT"
	AgentSessions = "PINTLE_ACP_SESSIONS"
)

// AgentHanging is the line on standard error with which an agent under test says that an answer of the
// script has begun to hang.
const AgentHanging = "script: hanging"

// agentTime bounds a case.
const agentTime = 2 * time.Minute

const agentOperation = "acp"

// RunAgent runs the vector files that drive an agent of the Agent Client Protocol as a process, and no
// others. command is the program with its arguments; it is started once for each case, with the environment
// of this process and the variables AgentScript and AgentSessions. paths and report are as for [Run].
func RunAgent(ctx context.Context, paths, command []string, report func(FileResult)) (Summary, error) {
	if len(command) == 0 {
		return Summary{}, errors.New("there is no command that starts the agent")
	}
	var sum Summary
	var errs []error
	op := Operation{doubles: true, exact: true, bind: bindAgent, run: func(ctx context.Context, c *testCase) (any, error) {
		return driveAgent(ctx, c, command)
	}}
	for _, path := range paths {
		for _, f := range find(path) {
			switch {
			case ctx.Err() != nil:
				return sum, context.Cause(ctx)
			case f.Err == nil && f.Operation != agentOperation:
				continue
			case f.Err == nil:
				f.LeftOut = ""
				runCases(ctx, &f, op, nil)
			}
			if f.Err != nil {
				f.Error = f.Err.Error()
				errs = append(errs, f.Err)
			}
			sum.Passed += f.Passed
			sum.Failed += f.Failed
			sum.Files = append(sum.Files, f)
			if report != nil {
				report(f)
			}
		}
	}
	if len(errs) == 0 && sum.Passed+sum.Failed == 0 {
		errs = append(errs, ErrNothingRun)
	}
	return sum, errors.Join(errs...)
}

// driveAgent runs a case and returns what was to be seen: exit, frames and logs.
func driveAgent(ctx context.Context, c *testCase, command []string) (any, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, agentTime, fmt.Errorf("the agent has not ended after %v", agentTime))
	defer cancel()
	dir, err := os.MkdirTemp("", "pintle-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script, sessions := filepath.Join(dir, "script.json"), filepath.Join(dir, "sessions")
	if err := os.WriteFile(script, c.input.appendTo(nil), 0o600); err != nil {
		return nil, err
	}
	a, err := startAgent(ctx, command, AgentScript+"="+script, AgentSessions+"="+sessions)
	if err != nil {
		return nil, err
	}
	defer a.stop()
	if err := a.steps(c.input.Get("steps").items); err != nil {
		return nil, a.explain(ctx, err)
	}
	exit, err := a.end()
	if err != nil {
		return nil, a.explain(ctx, err)
	}
	logs, err := agentLogs(ctx, sessions)
	if err != nil {
		return nil, err
	}
	return fields{"exit", exit, "frames", list(a.frames), "logs", list(logs)}, nil
}

// agentLogs reads every log file under a folder: each a list of its header and its events.
func agentLogs(ctx context.Context, root string) ([][]any, error) {
	var logs [][]any
	files := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist) && path == root:
			return nil
		case err != nil:
			return err
		}
		name := entry.Name()
		if entry.Type().IsRegular() && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zstd")) {
			files[path] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		log, err := agentLog(ctx, path)
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return logs, nil
}

func agentLog(ctx context.Context, path string) ([]any, error) {
	view, err := session.ViewFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	if tail := view.Tail(); tail > 0 {
		return nil, fmt.Errorf("%s ends in %d bytes that are no event", path, tail)
	}
	header := view.Header()
	log := []any{header}
	for e, err := range view.Events(ctx, 0) {
		if err != nil {
			return nil, err
		}
		log = append(log, e)
	}
	return log, nil
}
