/** methods.json, as far as it is about the type and `Config` of a method. */
import { describe, expect, it } from 'vitest'
import { methodTypeOf } from '../../../../src/configsvc/methods/method-types.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { ABSENT, type AclCase, aclVectors, vectorsPresent } from '../../../fixtures/acl-vectors.ts'
import { certificatePem, P256, RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { CRYPTO } from './logging-in.ts'

interface MethodsCase extends AclCase {
  readonly steps: readonly {
    readonly op: 'create' | 'update'
    readonly body: {
      readonly Name?: string
      readonly Type?: string
      readonly Config?: unknown
      readonly [member: string]: unknown
    }
    readonly expect: 'stored' | 'refused'
  }[]
}

const STAND_INS: Readonly<Record<string, string>> = {
  '@cacert': certificatePem(RSA),
  '@jwt': token('RS256'),
  '@pubkey': spkiPem(P256),
}
const withStandIns = (config: unknown): unknown =>
  JSON.parse(JSON.stringify(config), (_, value) => (typeof value === 'string' ? (STAND_INS[value] ?? value) : value))

const OURS = ['Name', 'Type', 'Config']

describe.skipIf(!vectorsPresent)(`methods ${ABSENT}`, () => {
  // What the other members do, and an update to another type or name, is the operation's to judge.
  const cases = aclVectors<MethodsCase>('methods.json').filter(
    ({ steps }) => steps.length === 1 && steps.every(({ body }) => Object.keys(body).every((name) => OURS.includes(name))),
  )

  it('are most of the file', () => {
    expect(cases.length).toBeGreaterThan(20)
  })

  it.each(cases)('$id $about', ({ steps }) => {
    for (const { body, expect: expected } of steps) {
      const write = () => methodTypeOf(body.Type as string).readConfig(withStandIns(body.Config), CRYPTO)
      if (expected === 'stored') expect(write()).toEqual(withStandIns(body.Config))
      else expect(write).toThrow(KernelError)
    }
  })
})
