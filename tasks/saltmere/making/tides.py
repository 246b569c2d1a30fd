"""Tides at the two standard ports in June 1935, and differences for the secondary ports."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from random import Random

_START = datetime(1935, 5, 31, 2, 14)  # noqa: DTZ001 - island time, which has no zone
_PORTS = {"S08": (timedelta(0), 2.35, 1.0), "S16": (timedelta(hours=1, minutes=41), 2.9, 1.25)}


def tides(random: Random) -> list[list[str]]:
    """Make high and low waters from 31 May to 1 July."""
    rows = []
    for port, (lag, mean, scale) in _PORTS.items():
        for n in range(4 * 32):
            moment = _START + lag + timedelta(minutes=372.6 * n + random.randrange(-9, 10))
            if (moment.month, moment.day) == (7, 2):
                break
            spring = 1 + 0.45 * math.cos(2 * math.pi * (n / 3.865 - 2.3) / 14.77)
            sign = 1 if n % 2 == 0 else -1
            height = mean - 0.35 + sign * 1.38 * scale * spring + random.uniform(-0.16, 0.16)
            kind = "HW" if sign > 0 else "LW"
            rows.append([port, f"{moment:%d.%m.%Y}", f"{moment:%H:%M}", kind, f"{height:.2f}"])
    return rows


def differences() -> list[dict[str, object]]:
    """Give the secondary ports' differences and the depth on their bars."""
    table = [
        ("S05", "S08", -38, -31, -0.22, 0.04, 0.6),
        ("S10", "S08", 12, 9, -0.15, -0.05, -0.4),
        ("S12", "S08", 27, 35, 0.18, 0.07, 0.2),
        ("S14", "S16", -19, -24, -0.31, 0.02, -0.9),
        ("S17", "S16", 33, 41, 0.12, 0.1, -0.3),
        ("S22", "S16", 52, 58, -0.44, -0.08, 0.4),
    ]
    keys = ["port", "standard", "hw_minutes", "lw_minutes", "hw_m", "lw_m", "bar_m"]
    return [dict(zip(keys, row, strict=True)) for row in table]
