import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { githubSync } from '../../../src/adapters/sync-github/index.ts'
import type { SyncSession } from '../../../src/sys/sync/port.ts'
import { seededEntropy } from '../../../src/testing/index.ts'
import { type GithubServer, startGithubServer } from '../../fixtures/sync/github.ts'
import { push, soon, thrownBy } from '../sync/over-fetch.ts'

const config = { access_token: 'ghp_token', repository_owner: 'acme', repository_name: 'shop' }
const SECRETS = '/repos/acme/shop/actions/secrets'

let server: GithubServer
let session: SyncSession
beforeEach(async () => {
  server = await startGithubServer()
  session = githubSync({ endpoint: server.url }).open(config)
})
afterEach(async () => {
  await session.close()
  await server.stop()
})

const named = (from = 0) => server.calls.slice(from).map(({ name }) => name)

describe('githubSync put', () => {
  it('reads the public key, writes the encrypted value, and then reads the update time of the secret', async () => {
    const result = await session.put(push('API_KEY', 'a value'), soon())
    expect(result).toEqual({ created: true, externalVersion: '2026-01-01T00:00:01Z/2026-01-01T00:00:01Z' })
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${SECRETS}/public-key`,
      `PUT ${SECRETS}/API_KEY`,
      `GET ${SECRETS}/API_KEY`,
    ])
    for (const { headers } of server.requests)
      expect(headers).toMatchObject({
        accept: 'application/vnd.github+json',
        authorization: 'Bearer ghp_token',
        'user-agent': 'strongroom',
        'x-github-api-version': '2022-11-28',
      })
    const { text, headers } = server.requests[1]!
    expect(headers['content-type']).toBe('application/json')
    const body = JSON.parse(text)
    expect(Object.keys(body).toSorted()).toEqual(['encrypted_value', 'key_id'])
    expect(body.key_id).toBe('56804400000')
    expect(text).not.toContain('a value')
    expect(server.values().get('API_KEY')).toBe('a value')
  })

  it('returns a version that changes with each write', async () => {
    const first = await session.put(push('API_KEY', 'one'), soon())
    const second = await session.put(push('API_KEY', 'two'), soon())
    expect(second).toEqual({ created: false, externalVersion: '2026-01-01T00:00:01Z/2026-01-01T00:00:02Z' })
    expect(first.externalVersion).not.toBe(second.externalVersion)
    expect(await session.describe!({ name: 'API_KEY' }, soon())).toEqual({
      exists: true,
      externalVersion: second.externalVersion,
    })
    expect(await session.describe!({ name: 'OTHER' }, soon())).toEqual({ exists: false })
  })

  it('creates a secret that describe distinguishes from a later secret of the same name by its creation time', async () => {
    const { externalVersion } = await session.put(push('API_KEY', 'own', { mode: 'create' }), soon())
    const request = { name: 'API_KEY', owner: '0'.repeat(32), externalVersion: externalVersion! }
    expect(await session.describe!(request, soon())).toMatchObject({ exists: true, managed: true })
    await session.put(push('API_KEY', 'edited'), soon())
    expect(await session.describe!(request, soon())).toMatchObject({ exists: true, managed: true })
    await session.remove({ name: 'API_KEY', opId: 'a' }, soon())
    await session.put(push('API_KEY', 'theirs'), soon())
    expect(await session.describe!(request, soon())).toMatchObject({ exists: true, managed: false })
  })

  it('succeeds even if the update time of the secret cannot be read', async () => {
    for (const answer of [
      { status: 500 },
      { status: 404 },
      { status: 200, body: '[' },
      { status: 200, body: { updated_at: 7 } },
    ]) {
      server.answers('getSecret', answer)
      expect(await session.put(push('API_KEY', 'value'), soon())).toMatchObject({ created: expect.any(Boolean) })
    }
    expect(server.values().get('API_KEY')).toBe('value')
  })

  it('encrypts with randomness from the given entropy source, differently each time', async () => {
    const boxes = async () => {
      const session = githubSync({ endpoint: server.url, entropy: seededEntropy('boxes') }).open(config)
      const from = server.requests.length
      for (const value of ['same', 'same']) await session.put(push('API_KEY', value), soon())
      return server.requests
        .slice(from)
        .flatMap(({ method, text }) => (method === 'PUT' ? [JSON.parse(text).encrypted_value] : []))
    }
    const [once, again] = [await boxes(), await boxes()]
    expect(once).toEqual(again)
    expect(once[0]).not.toBe(once[1])
  })
})

describe('the repository public key of githubSync', () => {
  it('is read once per session', async () => {
    for (let i = 0; i < 5; i++) await session.put(push(`KEY_${i}`, 'value'), soon())
    expect(named().filter((name) => name === 'getPublicKey')).toHaveLength(1)
  })

  it('is read again after GitHub has replaced it', async () => {
    await session.put(push('API_KEY', 'one'), soon())
    server.replaceKey()
    const from = server.calls.length
    await session.put(push('API_KEY', 'two'), soon())
    expect(named(from)).toEqual(['putSecret', 'getPublicKey', 'putSecret', 'getSecret'])
    expect(server.values().get('API_KEY')).toBe('two')
  })

  it('is read again if GitHub replaces it before the write, until the push fails with a conflict', async () => {
    for (const times of [1, 2]) {
      server.replaceKeyMidway(times)
      await session.put(push('API_KEY', `after ${times}`), soon())
      expect(server.values().get('API_KEY')).toBe(`after ${times}`)
    }
    server.replaceKeyMidway(100)
    expect(await thrownBy(session.put(push('API_KEY', 'never'), soon()))).toMatchObject({
      kind: 'conflict',
      code: 'key_replaced',
    })
    server.replaceKeyMidway(0)
    await session.put(push('API_KEY', 'at last'), soon())
    expect(server.values().get('API_KEY')).toBe('at last')
  })

  it('is read again for all pushes in flight after it was replaced', async () => {
    await session.put(push('API_KEY', 'one'), soon())
    server.replaceKey()
    await Promise.all(Array.from({ length: 8 }, (_, i) => session.put(push(`KEY_${i}`, `value ${i}`), soon())))
    expect(server.values().size).toBe(9)
  })

  it('is read again after a refused write, and the push fails if the key is unchanged', async () => {
    await session.put(push('API_KEY', 'one'), soon())
    const from = server.calls.length
    const tooLong = 'x'.repeat(49_153)
    expect(await thrownBy(session.put(push('API_KEY', tooLong), soon()))).toMatchObject({ kind: 'client', code: 'http_422' })
    expect(named(from)).toEqual(['putSecret', 'getPublicKey'])
    expect(server.values().get('API_KEY')).toBe('one')
  })

  it('leads to the error kind external if it cannot be used to encrypt', async () => {
    const good = 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA='
    const wrong = [
      { key_id: '1', key: 'AAAA' },
      { key_id: '1', key: 'A'.repeat(43).concat('=') },
      { key_id: '1', key: `${good}!` },
      { key_id: '', key: good },
      { key_id: 7, key: good },
      { key: good },
    ]
    for (const body of wrong) {
      server.answers('getPublicKey', { status: 200, body })
      const { kind, code } = await thrownBy(githubSync({ endpoint: server.url }).open(config).put(push('A', 'value'), soon()))
      expect({ kind, code }, JSON.stringify(body)).toEqual({ kind: 'external', code: 'no_public_key' })
    }
  })
})

describe('githubSync', () => {
  it('recognizes a rate limit by the text of the error message alone', async () => {
    const limits = [
      'You have exceeded a secondary rate limit. Please wait a few minutes.',
      'You have triggered an abuse detection mechanism.',
    ]
    for (const message of limits) {
      server.answers('putSecret', { status: 403, body: { message } })
      expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'throttled', retryAfterMs: 60_000 })
    }
    server.answers('putSecret', { status: 403, body: { message: 'Resource not accessible by personal access token' } })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'http_403' })
    server.answers('putSecret', { status: 429 })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'throttled', retryAfterMs: 60_000 })
  })

  it('removes a secret by name, and succeeds if the repository does not exist', async () => {
    await session.put(push('API_KEY', 'value'), soon())
    expect(await session.remove({ name: 'API_KEY', opId: 'a' }, soon())).toEqual({ existed: true })
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', path: `${SECRETS}/API_KEY` })
    const gone = githubSync({ endpoint: server.url }).open({ ...config, repository_name: 'gone' })
    expect(await gone.remove({ name: 'API_KEY', opId: 'a' }, soon())).toEqual({ existed: false })
    expect(await gone.describe!({ name: 'API_KEY' }, soon())).toEqual({ exists: false })
    expect(await thrownBy(gone.put(push('API_KEY', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'http_404' })
  })

  it('validates token, owner and repository name', () => {
    const { validate } = githubSync()
    const fieldsOf = (more: object) => validate({ ...config, ...more }).map(({ field }) => field)
    expect(fieldsOf({})).toEqual([])
    expect(fieldsOf({ repository_name: '.github', repository_owner: 'a_managed-User' })).toEqual([])
    for (const access_token of ['', 'two words', 'line\n', 'ü', 'x'.repeat(5000), 7, undefined])
      expect(fieldsOf({ access_token })).toEqual(['access_token'])
    for (const repository_owner of ['', 'a/b', '..', '-a', 'ü', ['a'], undefined])
      expect(fieldsOf({ repository_owner })).toEqual(['repository_owner'])
    for (const repository_name of ['', '.', '..', 'a/b', 'a?b', 'x'.repeat(101), null])
      expect(fieldsOf({ repository_name })).toEqual(['repository_name'])
    expect(validate({}).map(({ field }) => field)).toEqual(['access_token', 'repository_owner', 'repository_name'])
  })
})
