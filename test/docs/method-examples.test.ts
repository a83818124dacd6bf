/** The examples in the doc comments of operations run, each on its own kernel. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { exampleFunctions } from '../../tools/typed-surface/example-functions.mjs'
import { operationDocs } from '../../tools/typed-surface/operation-docs.mjs'
import { EXAMPLES } from './generated/method-examples.ts'
import { CHECKS, PREPARATIONS } from './method-examples.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Forgets which method a function belongs to. */
const functionsOf = (functions: object) => new Map<string, (...args: unknown[]) => Promise<unknown>>(Object.entries(functions))

const [preparations, checks] = [functionsOf(PREPARATIONS), functionsOf(CHECKS)]

it.each([...functionsOf(EXAMPLES)])('the doc comment example of %s runs and has the expected result', async (method, run) => {
  await using kernel: Kernel & AsyncDisposable = await createDevKernel()
  const prepared = await preparations.get(method)?.(kernel)
  await checks.get(method)?.(await run(kernel, prepared), kernel, prepared)
})

describe('doc comment examples of methods', () => {
  const { examples } = operationDocs(root)

  it('are the ones that the test runs', () => {
    const compiled = readFileSync(new URL('generated/method-examples.ts', import.meta.url), 'utf8')
    expect(compiled, 'run `npm run reference`').toBe(exampleFunctions(examples))
    expect(examples.size).toBeGreaterThanOrEqual(30)
  })

  it('have a check, and exist for every preparation and check', () => {
    expect([...checks.keys()].sort()).toEqual([...examples.keys()].sort())
    expect([...preparations.keys()].filter((method) => !examples.has(method))).toEqual([])
  })

  it('call the documented method', () => {
    for (const [method, code] of examples) expect(code, method).toMatch(new RegExp(`\\b${method.split('.').at(-1)}\\(`))
  })

  it('are written into the doc comment of transit.decrypt', () => {
    const transit = readFileSync(`${root}src/engines/transit/generated/api.ts`, 'utf8')
    expect(transit).toContain("   * const { plaintext } = await kernel.transit.decrypt({ name: 'orders', ciphertext })\n")
  })
})
