/**
 * A key can have its own template for the beginning of its ciphertexts. An accepted template must work for every version; any other is
 * refused before anything is stored.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, KernelError } from '../../src/index.ts'
import { backupText, encoded } from '../engines/hostile/refusals.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 20, soak: 500 })
const VERSIONS = 22
const PLACE = '{{version}}'

let kernel: Kernel
let made = 0
beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

/** The name of a key with this template, or undefined if the template is refused. */
async function restored(version_template: string): Promise<string | undefined> {
  const name = `key${made++}`
  try {
    await kernel.transit.restoreKey({ name, backup: encoded(backupText({ policy: { version_template } })) })
    return name
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('version_template') })
    return undefined
  }
}

const text = fc
  .array(
    fc.constantFrom(
      '1',
      '12',
      '0',
      '+',
      '-',
      ':',
      'v',
      'acme:v',
      '{',
      '}',
      '{{',
      'é',
      '\u0661',
      '\u{1d7d9}',
      ' ',
      '/',
      '=',
      PLACE,
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''))

describe('a version_template for the prefix of ciphertexts', () => {
  it('creates ciphertexts that decrypt with every key version, if the template is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (head, tail) => {
        const name = await restored(head + PLACE + tail)
        if (name === undefined) return
        const plaintext = new TextEncoder().encode('kept')
        for (let version = 1; version <= VERSIONS; version++) {
          const { ciphertext } = await kernel.transit.encrypt({ name, plaintext })
          expect(ciphertext.startsWith(head + version + tail)).toBe(true)
          expect((await kernel.transit.decrypt({ name, ciphertext })).plaintext).toEqual(plaintext)
          await kernel.transit.rotateKey({ name })
        }
      }),
      { numRuns: RUNS },
    )
  })

  it.each([`${PLACE}1`, `${PLACE}0:`, `1${PLACE}:`, `v9${PLACE}-`, `7${PLACE}7`])(
    'is refused if a digit is next to the version number: %s',
    async (template) => {
      expect(await restored(template)).toBeUndefined()
    },
  )

  it.each([`${PLACE}:`, `v${PLACE}:1`, `1v${PLACE}-9`, `+${PLACE}+`])(
    'is accepted if no digit is next to the version number: %s',
    async (template) => {
      expect(await restored(template)).toBeDefined()
    },
  )
})
