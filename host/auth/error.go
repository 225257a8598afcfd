package auth

// A Kind says why something has failed.
type Kind string

const (
	// NoCredential: a login succeeded, but gave neither an access token nor a key.
	NoCredential Kind = "no-credential"
	// LoginRefused: the plugin says that the login did not succeed.
	LoginRefused Kind = "login-refused"
	// NoAuthorize: the method has no function to log in with.
	NoAuthorize Kind = "no-authorize"
	// NoPromptCallback: the method has questions, and the host cannot ask them.
	NoPromptCallback Kind = "no-prompt-callback"
	// Validation: the plugin does not take the answer to a question.
	Validation Kind = "validation"
	// Malformed: a credential is not of a form that is known.
	Malformed Kind = "malformed"
	// Plugin: code of the plugin failed.
	Plugin Kind = "plugin"
	// Host: a callback of the host failed.
	Host Kind = "host"
)

// An Error says what has failed. No secret that is known is in its text or in any error that it wraps.
type Error struct {
	Kind Kind
	// Provider is the id of the plugin's provider, "" if there is none.
	Provider string
	// Text is what is wrong; for Validation what the plugin says to the user.
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
