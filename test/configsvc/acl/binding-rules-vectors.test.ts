/** Cases of binding-rules.json: valid and invalid binding rules. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { certificatePem, RSA, token } from '../../unit/core/jwt/tokens.ts'
import { type Json, LoginWorld, mapped } from './login-world.ts'

interface RulesCase extends AclCase {
  readonly method: { readonly claims?: readonly string[]; readonly type?: string }
  readonly steps: readonly {
    readonly op: 'create' | 'update'
    readonly body: Json
    readonly expect: 'stored' | 'refused'
    readonly names?: string
    readonly answer?: Json
    readonly as?: string
    readonly of?: string
  }[]
}

const KUBERNETES = { Host: 'https://abc:8443', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') }

const METHOD = 'the-method'

const STAND_INS: Readonly<Record<string, string>> = { '@other': 'other', '@method': METHOD }

const withStandIns = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, STAND_INS[value as string] ?? value]))

async function opened({ claims = [], type = 'jwt' }: RulesCase['method']): Promise<LoginWorld> {
  const world = await LoginWorld.open()
  for (const name of [METHOD, 'other']) {
    if (type === 'jwt') await world.method(name, { ClaimMappings: mapped(claims) })
    else await world.service.authMethods.create({ Name: name, Type: type, Config: KUBERNETES })
  }
  return world
}

describeAcl<RulesCase>('binding-rules.json', 'binding rules', (cases) => {
  it.each(cases)('a request that creates a binding rule has the recorded result, $id: $about', async ({ method, steps }) => {
    await using world = await opened(method)
    const kept = new Map<string, string>()
    for (const { op, body, names, answer = {}, as, of = '', expect: expected } of steps) {
      const path = op === 'create' ? 'binding-rule' : `binding-rule/${kept.get(of)}`
      const got = await world.ask('PUT', path, { AuthMethod: METHOD, ...withStandIns(body) })
      if (expected === 'refused') {
        expect(got.status).toBe(400)
        if (names) expect(got.body).toMatch(new RegExp(names, 'i'))
        continue
      }
      expect(got).toMatchObject({ status: 200, body: withStandIns(answer) })
      const { ID } = got.body as { readonly ID: string }
      if (as) kept.set(as, ID)
      expect(await world.ask('GET', `binding-rule/${ID}`)).toEqual(got)
    }
  })
})
