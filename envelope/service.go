package envelope

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pintle-wasm/pintle/registry"
)

// Service builds envelopes, keeps what a session needs for its requests, and has the host's hooks: the
// envelope service and the hooks of the Pi prompt-envelope extension.
//
// A Service with a Registry is ready; set the fields before its first use. It is safe for concurrent
// use. Sessions do not wait for each other. Turns of one session should follow each other, as they do
// in a host; if they overlap, the one whose build ends last is the one that counts.
type Service struct {
	// Registry has the contributions. Its Lookup also decides whether the state of a session belongs to
	// a provider (0.3.7 line) or to a provider and an api (0.3.9 line).
	Registry *registry.Registry
	// Requests is where captured requests are kept; nil means a store of the service's own.
	Requests *RequestStore
	// Environment says where the facts of the environment message come from.
	Environment Environment
	// Policy says what to do when a contribution fails that has no policy of its own. DefaultPolicy means
	// Skip.
	Policy registry.FailurePolicy
	// Sequential renders one contribution after the other, also those that could run side by side.
	Sequential bool

	own   RequestStore
	zones zones

	mu       sync.Mutex
	sessions map[string]*session
	logs     map[string]SessionLog
	audit    []string // nil means the default
	closed   bool
}

// session is what the hooks know of a session. Service.mu guards it.
type session struct {
	base          *string
	prompt        *string // the last good one
	provider, api string  // of the last good one
	messages      []registry.Message
	contextText   string
	good          goodTexts
	auditMu       sync.Mutex // orders reading the branch and appending to it
}

func (s *Service) requests() *RequestStore {
	if s.Requests != nil {
		return s.Requests
	}
	return &s.own
}

// session returns the state of a session, made if need be. s.mu is held.
func (s *Service) session(id string) *session {
	if s.sessions == nil {
		s.sessions = map[string]*session{}
	}
	st := s.sessions[id]
	if st == nil {
		st = &session{}
		s.sessions[id] = st
	}
	return st
}

func (s *Service) lastGood(sessionID string) goodTexts {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.sessions[sessionID]; st != nil {
		return st.good // replaced as a whole, never changed
	}
	return nil
}

// Capture stores the request and builds its envelope, which becomes the session's state for the hooks;
// if the session's log is known (SessionStart) it records the audit there. The request stays stored
// when the build fails, the state is untouched then; the error is a *BuildError. An error in reading
// the log comes with the envelope, after the state has changed.
//
// The request's options are kept, not copied: what they refer to must not be changed afterwards. The
// envelope is the caller's.
func (s *Service) Capture(ctx context.Context, req Request) (*Envelope, error) {
	s.mu.Lock()
	log := s.logs[req.SessionID]
	s.mu.Unlock()
	return s.CaptureIn(ctx, req, log)
}

// CaptureIn is Capture with a log for this call in the place of the session's own; nil records nothing.
func (s *Service) CaptureIn(ctx context.Context, req Request, log SessionLog) (*Envelope, error) {
	req.SystemPrompt, req.Prompt = copyOf(req.SystemPrompt), copyOf(req.Prompt)
	s.requests().set(req)
	env, good, err := s.build(ctx, &req)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	st := s.session(req.SessionID)
	st.base = req.SystemPrompt
	st.prompt = copyOf(&env.SystemPrompt) // the envelope is the caller's
	st.provider, st.api = req.Provider, req.API
	st.messages = slices.Clone(env.DeveloperMessages)
	st.contextText = ""
	if len(env.ContextualUserMessages) > 0 {
		st.contextText = env.ContextualUserMessages[0].Content
	}
	st.good = good
	s.mu.Unlock()
	if log == nil {
		return env, nil
	}
	env.Report.Audit, err = s.publish(ctx, st, log, env)
	return env, err
}

// Current builds the envelope anew from the session's stored request with the overrides laid over it.
// Contributions and environment are those of now. It stores and records nothing. Without a stored
// request it returns nil and no error.
func (s *Service) Current(ctx context.Context, sessionID string, overrides Overrides) (*Envelope, error) {
	req, ok := s.requests().get(sessionID)
	if !ok {
		return nil, nil
	}
	req = overrides.apply(req)
	env, _, err := s.build(ctx, &req)
	return env, err
}

// Clear forgets the session's stored request. What the hooks know stays.
func (s *Service) Clear(sessionID string) { s.requests().delete(sessionID) }

// Available says whether the service is on offer to others: from the start until a Shutdown whose
// reason is reload or quit.
func (s *Service) Available() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed
}

func (s *Service) build(ctx context.Context, req *Request) (*Envelope, goodTexts, error) {
	start := time.Now()
	env := &Envelope{SystemPrompt: Instructions(&req.Options, req.SystemPrompt)}
	messages, outcomes, good, err := s.render(ctx, req.renderContext(), req.Contributions)
	env.Report = Report{
		Contributions: outcomes,
		ContextFiles:  Outcome{ID: ContextID, Source: Native, Reason: NotReached},
	}
	if err != nil {
		env.Report.Duration = time.Since(start)
		return nil, nil, &BuildError{env.Report, err}
	}
	env.DeveloperMessages = append(messages, s.Environment.Message(req.CWD, req.ActiveTools, s.Environment.observe(&s.zones)))
	env.ContextualUserMessages = []registry.Message{}
	env.Report.ContextFiles.Reason = NoFiles
	if content := s.Environment.ContextText(req.Options.ContextFiles, req.CWD); content != "" {
		env.ContextualUserMessages = append(env.ContextualUserMessages, registry.Message{ID: ContextID, Content: content})
		o := &env.Report.ContextFiles
		o.Included, o.Bytes, o.Reason = true, len(content), ""
		if req.Options.CustomPrompt == "" {
			o.Reason = AlsoInPrompt
		}
	}
	env.Report.Duration = time.Since(start)
	return env, good, nil
}

func copyOf(s *string) *string {
	if s == nil {
		return nil
	}
	c := *s
	return &c
}

// sameAPI is the api's part in whether a session's state is that of a request: none in the 0.3.7 line;
// in the 0.3.9 line a recorded api has to be equal.
func (s *Service) sameAPI(recorded, current string) bool {
	return s.Registry == nil || s.Registry.Lookup == registry.ByProvider || recorded == "" || recorded == current
}

// message returns the text of an error as the protocol shows it: a contribution's own words.
func message(err error) string {
	var c *ContributionError
	if errors.As(err, &c) {
		err = c.Err
	}
	return err.Error()
}
