// Package rrule reads and prints the recurrence rules that host timers use: every n minutes, hours or days, with the hours
// and minutes of the day (UTC) when the host names them. Anything else of RFC 5545 is refused with the reason, because a
// rule that is half understood would be recorded as a cadence that the host does not have.
package rrule
