/** Cases of methods.json: valid and invalid auth methods. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { certificatePem, P256, RSA, spkiPem, token } from '../../unit/core/jwt/tokens.ts'
import { LoginWorld } from './login-world.ts'

interface MethodsCase extends AclCase {
  readonly steps: readonly {
    readonly op: 'create' | 'update'
    readonly body: Readonly<Record<string, unknown>>
    readonly expect: 'stored' | 'refused'
    readonly answer?: Readonly<Record<string, unknown>>
  }[]
}

/** The vectors refuse methods whose keys are fetched; this service stores them, as Consul does. */
const STORED: readonly string[] = ['me013', 'me014']

const STAND_INS: Readonly<Record<string, string>> = {
  '@cacert': certificatePem(RSA),
  '@jwt': token('RS256'),
  '@pubkey': spkiPem(P256),
}

const withStandIns = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? (STAND_INS[value] ?? value) : value))

describeAcl<MethodsCase>('methods.json', 'methods', (cases) => {
  it.each(cases)('a request that creates an auth method has the recorded result, $id: $about', async ({ id, steps }) => {
    await using world = await LoginWorld.open()
    for (const { op, body, expect: stated, answer = {} } of steps) {
      const expected = STORED.includes(id) ? 'stored' : stated
      const path = op === 'create' ? 'auth-method' : 'auth-method/test'
      const got = await world.ask('PUT', path, withStandIns(body))
      expect(got.status).toBe(expected === 'stored' ? 200 : 400)
      if (expected !== 'stored') continue
      expect(got.body).toMatchObject(answer)
      const { Config } = withStandIns(body) as { readonly Config: unknown }
      expect(await world.ask('GET', 'auth-method/test')).toEqual({ status: 200, body: got.body })
      expect(got.body).toMatchObject({ Name: 'test', Config })
    }
  })
})
