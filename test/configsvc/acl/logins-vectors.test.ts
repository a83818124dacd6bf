/** Cases of logins.json: logins accepted or refused by audience, issuer, times and signature. */
import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { P256, spkiPem, token } from '../../unit/core/jwt/tokens.ts'
import { type Json, LoginWorld } from './login-world.ts'

interface LoginsCase extends AclCase {
  readonly config: Json
  readonly claims: Json
  readonly allowed: boolean
  readonly key?: 'other'
}

const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const ISSUER = 'https://legit.issuer.internal/'

const TIMES = ['iat', 'nbf', 'exp']

describeAcl<LoginsCase>('logins.json', 'logins', (cases) => {
  it.each(cases)(
    'a login with the recorded claims has the recorded result, $id: $about',
    async ({ config, claims, allowed, key }) => {
      await using world = await LoginWorld.open()
      const keys = { JWTValidationPubKeys: [spkiPem(key ? OTHER : P256)] }
      await world.method('m', { BoundIssuer: ISSUER, BoundAudiences: ['ours'], ...keys, ...config })
      await world.service.bindingRules.create({ AuthMethod: 'm', BindType: 'service', BindName: 'web' })
      const timed = Object.entries(claims).map(([name, value]) => [
        name,
        TIMES.includes(name) ? world.now + Number(value) : value,
      ])
      const BearerToken = token('ES256', { iss: ISSUER, aud: ['ours'], ...Object.fromEntries(timed) })
      const { status, body } = await world.ask('POST', 'login', { AuthMethod: 'm', BearerToken }, null)
      expect(status).toBe(allowed ? 200 : 403)
      if (!allowed) expect(body).toBe('Permission denied')
    },
  )
})
