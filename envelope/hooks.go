package envelope

import "context"

// LevelError is the level of the notification about a failed build.
const LevelError = "error"

// Turn is the event that starts a turn (before_agent_start).
type Turn struct {
	Request Request
	// Log is the session's log as the event knows it, nil for none. It serves a session that
	// SessionStart has not been called for.
	Log SessionLog
	// Notify shows a message to the user; nil without a user interface. Its error is ignored.
	Notify func(ctx context.Context, message, level string) error
}

// TurnResult is the answer to the start of a turn.
type TurnResult struct {
	// SystemPrompt is the prompt to send; nil leaves the host its own.
	SystemPrompt *string
	// Envelope is what was built, nil if the build failed.
	Envelope *Envelope
	// Fallback says that SystemPrompt is the last good one, because of Err. The developer messages and
	// context files of that turn stay in force too.
	Fallback bool
	// Err is why the build failed, or why the audit could not be recorded.
	Err error
	// Report explains the turn, whether or not the build failed.
	Report Report
}

// SessionStart makes the session's log known, for audits of Capture.
func (s *Service) SessionStart(sessionID string, log SessionLog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if log == nil {
		delete(s.logs, sessionID)
		return
	}
	if s.logs == nil {
		s.logs = map[string]SessionLog{}
	}
	s.logs[sessionID] = log
}

// BeforeTurn captures the request of a turn and answers with the composed prompt. If that fails it
// notifies the user and answers with the session's last good prompt if that is for the same provider,
// else with nothing; the context files are forgotten in the second case.
func (s *Service) BeforeTurn(ctx context.Context, turn Turn) TurnResult {
	s.mu.Lock()
	log := s.logs[turn.Request.SessionID]
	s.mu.Unlock()
	if log == nil {
		log = turn.Log
	}
	env, err := s.CaptureIn(ctx, turn.Request, log)
	result := TurnResult{Envelope: env, Err: err}
	if env != nil {
		result.Report = env.Report
	}
	if err == nil {
		result.SystemPrompt = copyOf(&env.SystemPrompt)
		return result
	}
	if failed, ok := err.(*BuildError); ok {
		result.Report = failed.Report
	}
	if turn.Notify != nil {
		_ = turn.Notify(ctx, "System prompt build failed: "+message(err), LevelError)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.session(turn.Request.SessionID)
	if st.prompt != nil && st.provider == turn.Request.Provider && s.sameAPI(st.api, turn.Request.API) {
		result.SystemPrompt, result.Fallback = copyOf(st.prompt), true
	} else {
		st.contextText = ""
	}
	return result
}

// Shutdown forgets a session: its state, its log and its stored request. The reasons reload and quit
// also take the service off offer (Available) and detach it from published settings; new, resume and
// fork do not.
func (s *Service) Shutdown(sessionID, reason string) {
	s.requests().delete(sessionID)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, sessionID)
	delete(s.logs, sessionID)
	if reason == "reload" || reason == "quit" {
		s.closed = true
	}
}
