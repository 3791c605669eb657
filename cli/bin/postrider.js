#!/usr/bin/env -S node --max-semi-space-size=32
/** The command `postrider`; it stands here before anything is compiled, so that an install can link it. */
import '../dist/postrider.js'
