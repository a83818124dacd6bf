/** http.json: requests in a row, with their statuses. */
import { describe, expect, it } from 'vitest'
import { ABSENT, type AclCase, aclVectors, vectorsPresent } from '../../fixtures/acl-vectors.ts'
import { P256, spkiPem } from '../../unit/core/jwt/tokens.ts'
import { type Json, LoginWorld, MANAGEMENT, mapped } from './login-world.ts'

interface HttpCase extends AclCase {
  readonly bootstrap?: true
  readonly steps: readonly {
    readonly method: string
    readonly path: string
    readonly query?: Json
    readonly body?: unknown
    readonly raw?: string
    readonly login?: Json
    readonly token?: string | null
    readonly status: number | readonly number[]
    readonly as?: string
    readonly answer?: Json
    readonly has?: readonly string[]
    readonly list?: readonly unknown[]
    readonly length?: number
    readonly same?: readonly string[]
  }[]
}

const METHOD = 'the-method'

async function opened(bootstrap: true | undefined): Promise<LoginWorld> {
  const world = await LoginWorld.open(bootstrap ? { acl: {} } : {})
  await world.method(METHOD, { ClaimMappings: mapped(['name']) })
  return world
}

describe.skipIf(!vectorsPresent)(`requests ${ABSENT}`, () => {
  it.each(aclVectors<HttpCase>('http.json'))('$id $about', async ({ bootstrap, steps }) => {
    await using world = await opened(bootstrap)
    const kept: Record<string, Json> = {}
    const filled = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value), (_, text) => {
        if (text === '@pubkey') return spkiPem(P256)
        if (typeof text !== 'string') return text
        return text.replace(/\{(\w+)(?:\.(\w+))?\}/g, (all, name: string, member?: string) => {
          if (name === 'method') return METHOD
          return member && kept[name] ? String(kept[name][member]) : all
        })
      }) as T
    for (const step of steps) {
      const { method, path, query, raw, login, token = MANAGEMENT, status, as, answer, has = [], list, length, same } = step
      const secret = token === 'root' ? MANAGEMENT : token && filled(token)
      const sent = login ? { AuthMethod: METHOD, BearerToken: world.bearer(login) } : step.body && filled(step.body)
      const body = raw === undefined ? sent : new TextEncoder().encode(raw)
      const got = await world.service.handle({
        method,
        path: `/v1/${filled(path)}`,
        headers: secret ? { 'X-Config-Token': secret } : {},
        ...(query && { query: filled(query) as Record<string, string> }),
        ...(body === undefined ? {} : { body }),
      })
      expect([status].flat()).toContain(got.status)
      const members = got.body as Json
      if (as) kept[as] = members
      if (answer) expect(members).toMatchObject(filled(answer))
      for (const name of has) expect(Object.keys(members)).toContain(name)
      if (list) expect(members).toEqual(list)
      if (length !== undefined) expect(members).toHaveLength(length)
      if (same) expect(new Set(same.map((name) => members[name])).size).toBe(1)
    }
  })
})
