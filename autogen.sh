#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Makes configure and the other generated build files in a fresh clone.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install "$@"
