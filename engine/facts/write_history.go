package facts

// HistoryWrite is what the history commands ask for, with what was found in the whole run index.
type HistoryWrite struct {
	// Limit is how many runs are listed, 0 for all that are read.
	Limit int64 `json:"limit,omitempty"`
	// Check is given to history check and repair.
	Check *IndexCheck `json:"check,omitempty"`
}

// IndexCheck is a reading of the whole run index, line by line.
type IndexCheck struct {
	Exists bool   `json:"exists"`
	File   string `json:"file"`
	Digest string `json:"digest,omitempty"` // of the bytes that were read
	Lines  int64  `json:"line_count"`       // blank ones included
	Rows   int64  `json:"row_count"`
	// Faults are in line order. More than a thousand are not listed.
	Faults    []IndexFault `json:"faults"`
	Truncated bool         `json:"truncated"`
}

// IndexFault is a line that is not as a writer leaves it.
type IndexFault struct {
	Line int64 `json:"line"`
	// Unreadable: it is no JSON object. Torn: it is the last line and has no end. First: the line it repeats byte for byte.
	Unreadable bool  `json:"unreadable,omitempty"`
	Torn       bool  `json:"torn,omitempty"`
	First      int64 `json:"first,omitempty"`
	// OtherGoal is the goal that the row names instead of this one.
	OtherGoal string `json:"other_goal,omitempty"`
	// NoTime: it has no readable generated_at.
	NoTime bool `json:"no_time,omitempty"`
	// Missing names the artifacts that do not exist, by key.
	Missing []string `json:"missing,omitempty"`
}
