package sidecar

// initializeParams are what a client says of itself.
type initializeParams struct {
	Protocol     []int          `json:"protocol"` // versions that it speaks
	Client       clientInfo     `json:"client"`
	Capabilities capabilities   `json:"capabilities"`
	AgentDir     string         `json:"agentDir"` // "": as the environment says
	CWD          string         `json:"cwd"`      // relative paths are relative to it; "": this process's
	Environment  environment    `json:"environment"`
	Config       *configuration `json:"config"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// capabilities are what a client answers.
type capabilities struct {
	Render bool `json:"render"`
	Log    bool `json:"log"`
}

// initializeResult is what the sidecar says of itself.
type initializeResult struct {
	Protocol int         `json:"protocol"`
	Server   serverInfo  `json:"server"`
	Limits   limitsInfo  `json:"limits"`
	Lookup   lookup      `json:"lookup"` // in force, whoever has set it
	Guests   []guestInfo `json:"guests"`
	Problems []problem   `json:"problems"`
}

// guestInfo tells about a guest that was loaded.
type guestInfo struct {
	Name          string   `json:"name"`
	Source        string   `json:"source"` // the path of its file, "" for the stock adapters
	ID            string   `json:"id"`
	Version       string   `json:"version"`
	Digest        string   `json:"digest"` // SHA-256 in hex
	Contributions []string `json:"contributions"`
	Adapters      []string `json:"adapters"`
	Withheld      []string `json:"withheld"` // capabilities that it asks for and is not granted
}

// A problem is something that is amiss and does not keep the sidecar from serving.
type problem struct {
	Where   string `json:"where"` // the path of a file, or adapters.wasm for the stock ones
	Message string `json:"message"`
}
