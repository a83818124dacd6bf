/** The examples in the doc comments of typed methods run, each on its own kernel. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../src/index.ts'
import { methodExamples } from '../../tools/typed-surface/method-examples.mjs'
import { METHOD_EXAMPLES } from './method-examples.ts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

it.each(Object.entries(METHOD_EXAMPLES))('the doc comment example of %s runs without an error', async (_, { run }) => {
  await using kernel = await createDevKernel()
  await run(kernel)
})

describe('doc comment examples of methods', () => {
  const shown = methodExamples(root)

  it('include every entry of METHOD_EXAMPLES', () => {
    expect([...shown.keys()]).toEqual(Object.keys(METHOD_EXAMPLES))
    expect(shown.size).toBeGreaterThanOrEqual(30)
  })

  it('call the documented method and contain no test code', () => {
    for (const [name, text] of shown) {
      expect(text, name).toMatch(new RegExp(`\\b${name.split('.').at(-1)}\\(`))
      expect(text, name).not.toContain('expect(')
    }
  })

  it('are written into the doc comment of transit.decrypt', () => {
    const transit = readFileSync(`${root}/src/engines/transit/generated/api.ts`, 'utf8')
    expect(transit).toContain("   * const { plaintext } = await kernel.transit.decrypt({ name: 'orders', ciphertext })\n")
  })
})
