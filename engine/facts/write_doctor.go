package facts

// DoctorWrite is what doctor asks for, with what it tried.
type DoctorWrite struct {
	Version string `json:"version,omitempty"`
	// Revision and Digest are those of the rules that answer.
	Revision string `json:"revision,omitempty"`
	Digest   string `json:"digest,omitempty"`
	// Promotion asks for the readiness run, whose evidence is stored unless NoWriteEvidence.
	Promotion       bool    `json:"promotion,omitempty"`
	NoWriteEvidence bool    `json:"no_write_evidence,omitempty"`
	Trials          []Trial `json:"trials"`
}

// Trial is one thing that was tried.
type Trial struct {
	Name    string `json:"name"`              // "answers", "healthy", "command", "runtime_root", "shared_registry"
	Subject string `json:"subject,omitempty"` // the goal or the command
	OK      bool   `json:"ok"`
	Detail  string `json:"detail,omitempty"`
}
