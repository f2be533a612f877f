package parleycomm

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var timeForm = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$`)

// ReadTime parses an RFC 3339 time to milliseconds since 1970. It returns
// false if the value is not a valid time.
func ReadTime(value any) (int64, bool) {
	text, isText := value.(string)
	parts := timeForm.FindStringSubmatch(text)
	if !isText || parts == nil || strings.HasSuffix(text, "-00:00") {
		return 0, false
	}
	part := func(index int) int {
		number, _ := strconv.Atoi("0" + parts[index])
		return number
	}
	year, month, day, hour, minute, second := part(1), part(2), part(3), part(4), part(5), part(6)
	moment := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	isNormal := moment.Year() == year && int(moment.Month()) == month && moment.Day() == day &&
		moment.Hour() == hour && moment.Minute() == minute && moment.Second() == second
	if !isNormal || part(9) > 23 || part(10) > 59 {
		return 0, false
	}
	fraction, _ := strconv.Atoi((parts[7] + "000")[:3])
	offset := int64(part(9)*60+part(10)) * 60
	if parts[8] == "-" {
		offset = -offset
	}
	return (moment.Unix()-offset)*1000 + int64(fraction), true
}

func nowMs() int64 { return time.Now().UnixMilli() }

func formatTime(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
