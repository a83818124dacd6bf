/** The reference in the documentation says what the operations say. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FACADES, OWN, ROUTES } from '../../src/configsvc/operations.ts'
import { ENGINES } from '../../src/conventional.ts'
import { kv2 } from '../../src/engines/kv/index.ts'
import { referenceOf } from '../../tools/reference-table.mjs'

const file = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')

it('is what `npm run reference` would write', () => {
  expect(
    file === referenceOf([...ENGINES, { ...kv2, title: 'version 2', fresh: [{ path: 'secret/' }] }], { ...FACADES, '': OWN }),
    'run `npm run reference`',
  ).toBe(true)
})

it('has every path of every engine', () => {
  for (const { operations } of [...ENGINES, kv2])
    for (const { path, verb } of Object.values(operations)) expect(file).toContain(`| ${verb} | \`${path.slice(1) || '/'}\` |`)
})

it('has every path of the configuration service', () => {
  for (const { path, verb } of Object.values(ROUTES)) expect(file).toContain(`| ${verb} | \`${path.slice(1)}\` |`)
})
