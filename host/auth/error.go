package auth

// A Kind says why something has failed.
type Kind string

const (
	// KindNoCredential: a login succeeded, but gave neither an access token nor a key.
	KindNoCredential Kind = "no-credential"
	// KindLoginRefused: the plugin says that the login did not succeed.
	KindLoginRefused Kind = "login-refused"
	// KindNoAuthorize: the method has no function to log in with.
	KindNoAuthorize Kind = "no-authorize"
	// KindNoPromptCallback: the method has questions, and the host cannot ask them.
	KindNoPromptCallback Kind = "no-prompt-callback"
	// KindValidation: the plugin does not take the answer to a question.
	KindValidation Kind = "validation"
	// KindMalformed: a credential is not of a form that is known.
	KindMalformed Kind = "malformed"
	// KindPlugin: code of the plugin failed.
	KindPlugin Kind = "plugin"
	// KindHost: a callback of the host failed.
	KindHost Kind = "host"
)

// An Error says what has failed. No secret that is known is in its text or in any error that it wraps.
type Error struct {
	Kind Kind
	// Provider is the id of the plugin's provider, "" if there is none.
	Provider string
	// Text is what is wrong; for KindValidation what the plugin says to the user.
	Text string
	// Err is what the plugin or the host has failed with, redacted. [errors.Is] sees through it.
	Err error
}

func (e *Error) Error() string {
	text := e.Text
	if e.Err != nil {
		if text != "" {
			text += ": "
		}
		text += e.Err.Error()
	}
	if e.Provider == "" {
		return "auth: " + text
	}
	return "auth: " + e.Provider + ": " + text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
