"""RFC 3339 timestamps."""

import datetime
import re
import time

TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|([+-])(\d\d):(\d\d))", re.ASCII
)


def read_time(text):
    """Parses an RFC 3339 time to milliseconds since 1970. Returns None if the text is invalid."""
    match = TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None or text.endswith("-00:00"):
        return None
    year, month, day, hour, minute, second = (int(match.group(n)) for n in range(1, 7))
    hours, minutes = int(match.group(10) or 0), int(match.group(11) or 0)
    if hours > 23 or minutes > 59:
        return None
    try:
        days = datetime.date(year or 4, month, day).toordinal() - (1461 if year == 0 else 0)
        datetime.time(hour, minute, second)
    except ValueError:
        return None
    fraction = int(((match.group(7) or "") + "000")[:3])
    seconds = (days - 719163) * 86400 + hour * 3600 + minute * 60 + second
    offset = (hours * 60 + minutes) * (-60 if match.group(9) == "-" else 60)
    return (seconds - offset) * 1000 + fraction


def now_ms():
    """Returns the current time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def format_time(milliseconds):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds") + "Z"
