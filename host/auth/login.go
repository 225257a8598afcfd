package auth

import (
	"context"
	"slices"
	"strings"
)

// keyInstead is what to do without a login.
const keyInstead = "configure an API key instead"

// Login logs in with the method that [Hook.Pick] chooses: it asks the method's prompts, begins the
// login with the answers, and waits for an OAuth login to be gone through. The credential is put into
// the plugin's store and returned as the host keeps it. The error is an *[Error]; the host's and the
// plugin's own errors are in it, without any secret: what was answered is one too, unless it is among the
// Values of its prompt.
func (a *Account) Login(ctx context.Context, host Callbacks) (HostCredential, error) {
	c, err := a.login(ctx, host)
	if err != nil {
		return HostCredential{}, a.named(err)
	}
	a.store.login(c)
	credential, err := c.Host(a.now())
	return credential, a.named(err)
}

func (a *Account) login(ctx context.Context, host Callbacks) (*Credential, error) {
	m := a.method()
	if m == nil {
		return nil, &Error{Kind: KindNoAuthorize, Text: "the plugin offers no login of the type that is wanted: " + keyInstead}
	}
	answers, err := a.ask(ctx, m, host)
	if err != nil {
		return nil, err
	}
	if m.Authorize == nil {
		return nil, &Error{Kind: KindNoAuthorize, Text: "the method has nothing to log in with: " + keyInstead}
	}
	begun, err := m.Authorize(ctx, answers)
	if err != nil {
		return nil, a.fail(KindPlugin, "begin the login", err)
	}
	if m.Type == OAuthType {
		return a.await(ctx, begun, host)
	}
	result, err := success(begun.Result)
	if err != nil {
		return nil, err
	}
	return keyCredential(&result)
}

// await shows where to log in and waits for the outcome.
func (a *Account) await(ctx context.Context, begun Authorization, host Callbacks) (*Credential, error) {
	if begun.Callback == nil || host.OnAuth == nil {
		return nil, &Error{Kind: KindNoAuthorize, Text: "the login cannot be shown to the user or waited for"}
	}
	if err := host.OnAuth(ctx, begun.URL, begun.Instructions); err != nil {
		return nil, a.fail(KindHost, "show where to log in", err)
	}
	if host.OnProgress != nil {
		host.OnProgress(ctx, "Waiting for the login in the browser…")
	}
	result, err := begun.Callback(ctx)
	if err != nil {
		return nil, a.fail(KindPlugin, "wait for the login", err)
	}
	return CallbackCredential(result, a.now())
}

// ask returns the answers to the prompts of a method.
func (a *Account) ask(ctx context.Context, m *Method, host Callbacks) (map[string]string, error) {
	answers := make(map[string]string, len(m.Prompts))
	for _, p := range m.Prompts {
		if host.OnPrompt == nil {
			return nil, &Error{
				Kind: KindNoPromptCallback, Text: "the login has questions, and this host cannot ask them: " + keyInstead,
			}
		}
		answer, err := a.askOne(ctx, &p, host)
		if err != nil {
			return nil, err
		}
		answers[p.Key] = answer
	}
	return answers, nil
}

func (a *Account) askOne(ctx context.Context, p *Prompt, host Callbacks) (string, error) {
	message, placeholder := p.Message, p.Placeholder
	if p.Values != nil { // hosts ask for text only
		message, placeholder = message+" ("+strings.Join(p.Values, " | ")+")", nil
	}
	answer, err := host.OnPrompt(ctx, message, placeholder)
	if !slices.Contains(p.Values, answer) {
		a.Redactor().Add(NewSecret(answer))
	}
	if err != nil {
		return "", a.fail(KindHost, "ask the user", err)
	}
	if p.Values != nil || p.Validate == nil {
		return answer, nil
	}
	problem, err := p.Validate(ctx, answer)
	switch {
	case err != nil:
		return "", a.fail(KindPlugin, "check the answer", err)
	case problem != "":
		return "", &Error{Kind: KindValidation, Text: a.Redactor().Text(problem)}
	}
	return answer, nil
}
