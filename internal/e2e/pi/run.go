//go:build unix

package pi

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Output is what a finished process left.
type Output struct{ Stdout, Stderr string }

// Run runs Pi's command line program in the sandbox until it ends. A failure holds what it wrote.
func (in *Install) Run(ctx context.Context, s *Sandbox, env []string, args ...string) (Output, error) {
	return in.Script(ctx, s, env, in.CLI(), args...)
}

// Script runs a module on this Pi's Node in the sandbox until it ends.
func (in *Install) Script(ctx context.Context, s *Sandbox, env []string, file string, args ...string) (Output, error) {
	cmd := exec.CommandContext(ctx, in.Node, append([]string{file}, args...)...)
	cmd.Dir, cmd.Env = s.CWD, s.Env(env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// What it starts ends with it, also when it hangs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	out := Output{Stdout: stdout.String(), Stderr: stderr.String()}
	if err != nil {
		return out, fmt.Errorf("pi %s: %w\nstdout: %s\nstderr: %s", in.Version, err, out.Stdout, out.Stderr)
	}
	return out, nil
}
