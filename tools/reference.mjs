// Writes docs/reference.md from the build: `npm run reference`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { FACADES, OWN } from '../dist/configsvc/operations.js'
import { ENGINES } from '../dist/conventional.js'
import { kv2 } from '../dist/engines/kv/index.js'
import { referenceOf } from './reference-table.mjs'

const file = new URL('../docs/reference.md', import.meta.url)
mkdirSync(new URL('.', file), { recursive: true })
writeFileSync(
  file,
  referenceOf([...ENGINES, { ...kv2, title: 'version 2', fresh: [{ path: 'secret/' }] }], { ...FACADES, '': OWN }),
)
