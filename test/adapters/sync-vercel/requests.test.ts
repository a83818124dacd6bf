import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { vercelSync } from '../../../src/adapters/sync-vercel/index.ts'
import type { SyncSession } from '../../../src/sys/sync/port.ts'
import { startVercelServer, type VercelServer } from '../../fixtures/sync/vercel.ts'
import { push, soon, thrownBy } from '../sync/over-fetch.ts'

const MARK = 'Synced by strongroom; changes that are made here are overwritten.'
const config = { access_token: 'vercel_token', project_id: 'prj_shop', deployment_environments: ['production', 'preview'] }

let server: VercelServer
let session: SyncSession
const open = (more: object = {}): SyncSession => vercelSync({ endpoint: server.url }).open({ ...config, ...more })
beforeEach(async () => {
  server = await startVercelServer()
  session = open()
})
afterEach(async () => {
  await session.close()
  await server.stop()
})

const requestsSince = (from = 0) =>
  server.requests.slice(from).map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`)
const known = (externalVersion: string | undefined) => (externalVersion === undefined ? {} : { externalVersion })
const ENV = '/v10/projects/prj_shop/env'

describe('vercelSync put', () => {
  it('creates one variable for all environments in one call', async () => {
    const result = await session.put(push('API_KEY', 'a value'), soon())
    expect(result).toEqual({ created: true, externalVersion: `env1.${server.variables.get('env1')!.updatedAt}` })
    expect(requestsSince()).toEqual([`POST ${ENV}`])
    const { text, headers } = server.requests[0]!
    expect(headers).toMatchObject({
      authorization: 'Bearer vercel_token',
      accept: 'application/json',
      'content-type': 'application/json',
    })
    expect(JSON.parse(text)).toEqual({
      key: 'API_KEY',
      value: 'a value',
      type: 'encrypted',
      target: ['preview', 'production'],
      comment: MARK,
    })
  })

  it('sends the team id if one is configured', async () => {
    const { url, stop, requests } = await startVercelServer({ team: 'team_acme' })
    const otherSession = vercelSync({ endpoint: url }).open({ ...config, team_id: 'team_acme' })
    const { externalVersion } = await otherSession.put(push('API_KEY', 'value'), soon())
    await otherSession.put(push('API_KEY', 'next', { previous: externalVersion! }), soon())
    await otherSession.describe!({ name: 'API_KEY' }, soon())
    await otherSession.remove({ name: 'API_KEY', opId: 'a', ...known(externalVersion) }, soon())
    expect(requests.map(({ method, query }) => `${method} ${query.get('teamId')}`)).toEqual([
      'POST team_acme',
      'PATCH team_acme',
      'GET team_acme',
      'DELETE team_acme',
    ])
    await stop()
  })

  it('changes a variable that it has pushed before, addressed by the variable’s id', async () => {
    const { externalVersion: previous } = await session.put(push('API_KEY', 'one'), soon())
    const from = server.requests.length
    const { created, externalVersion } = await session.put(push('API_KEY', 'two', { previous: previous! }), soon())
    expect(created).toBe(false)
    expect(externalVersion).not.toBe(previous)
    expect(externalVersion!.split('.')[0]).toBe('env1')
    expect(requestsSince(from)).toEqual(['PATCH /v9/projects/prj_shop/env/env1'])
    expect(JSON.parse(server.requests.at(-1)!.text)).toMatchObject({ key: 'API_KEY', value: 'two', comment: MARK })
  })

  it('creates the variable again after it was deleted', async () => {
    const { externalVersion: previous } = await session.put(push('API_KEY', 'one'), soon())
    await session.remove({ name: 'API_KEY', opId: 'a' }, soon())
    expect(await session.put(push('API_KEY', 'two', { previous: previous! }), soon())).toMatchObject({ created: true })
    expect(server.variables.size).toBe(1)
  })

  it('sets the deployment environments that are configured at the time of the push', async () => {
    const { externalVersion: previous } = await session.put(push('API_KEY', 'one'), soon())
    for (const targets of [['production'], ['development', 'preview'], ['development', 'preview', 'production']]) {
      await open({ deployment_environments: targets }).put(push('API_KEY', 'two', { previous: previous! }), soon())
      expect([...server.variables.values()].map(({ target }) => target)).toEqual([targets])
    }
  })

  it('merges its earlier variables of the same name into one if it does not know their ids', async () => {
    await open({ deployment_environments: ['production'] }).put(push('API_KEY', 'lost'), soon())
    await open({ deployment_environments: ['preview'] }).put(push('API_KEY', 'lost, too'), soon())
    expect(server.variables.size).toBe(2)
    expect(await session.put(push('API_KEY', 'both'), soon())).toMatchObject({ created: false })
    expect([...server.variables.values()]).toMatchObject([{ value: 'both', target: ['preview', 'production'] }])
  })

  it('overwrites a variable of another owner only in mode adopt', async () => {
    const same = server.add({ key: 'SAME', value: 'foreign', target: ['production', 'preview'] })
    expect(await thrownBy(session.put(push('SAME', 'ours'), soon()))).toMatchObject({ kind: 'client', code: 'ENV_CONFLICT' })
    expect(await thrownBy(session.put(push('SAME', 'ours', { mode: 'create' }), soon()))).toMatchObject({ kind: 'conflict' })
    expect(server.variables.get(same)).toMatchObject({ value: 'foreign' })
    expect(await session.put(push('SAME', 'ours', { mode: 'adopt' }), soon())).toMatchObject({ created: false })
    expect([...server.variables.values()]).toMatchObject([{ value: 'ours', comment: MARK }])
    const id = server.add({ key: 'SOME', value: 'foreign', target: ['production', 'development'] })
    expect(await thrownBy(session.put(push('SOME', 'ours'), soon()))).toMatchObject({ kind: 'client', code: 'ENV_CONFLICT' })
    expect(server.variables.get(id)).toMatchObject({ value: 'foreign', target: ['production', 'development'] })
  })

  it('fails with the error code from the answer of Vercel', async () => {
    server.answers('createEnv', { status: 400, body: { error: { code: 'MAX_ENVS_REACHED', message: 'x' } } })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'MAX_ENVS_REACHED' })
    server.answers('createEnv', {
      status: 201,
      body: { created: [], failed: [{ error: { code: 'INVALID_VALUE', message: 'x' } }] },
    })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'INVALID_VALUE' })
    server.answers('createEnv', { status: 201, body: { created: [], failed: [{ error: { code: 7 } }] } })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'not_created' })
    const gone = open({ project_id: 'prj_gone' })
    expect(await thrownBy(gone.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'client', code: 'not_found' })
  })

  it('fails with the error kind conflict even if the conflicting variable has meanwhile disappeared', async () => {
    server.answers('createEnv', { status: 400, body: { error: { code: 'ENV_CONFLICT' } } })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'conflict', code: 'ENV_CONFLICT' })
    server.answers('createEnv', { status: 201, body: { created: [], failed: [{ error: { code: 'ENV_ALREADY_EXISTS' } }] } })
    expect(await thrownBy(session.put(push('A', 'value'), soon()))).toMatchObject({ kind: 'conflict' })
    await session.put(push('A', 'value'), soon())
    expect(server.values().get('A')).toBe('value')
  })
})

describe('vercelSync remove', () => {
  it('deletes the variable with the known id', async () => {
    const { externalVersion } = await session.put(push('API_KEY', 'value'), soon())
    const from = server.requests.length
    expect(await session.remove({ name: 'API_KEY', opId: 'a', ...known(externalVersion) }, soon())).toEqual({ existed: true })
    expect(requestsSince(from)).toEqual(['DELETE /v9/projects/prj_shop/env/env1'])
  })

  it('finds a variable whose id it does not know on any page of the list', async () => {
    await session.put(push('API_KEY', 'value'), soon())
    for (let i = 0; i < 9; i++) server.add({ key: `OTHER_${i}` })
    const from = server.requests.length
    expect(await session.remove({ name: 'API_KEY', opId: 'a', externalVersion: 'env999.1' }, soon())).toEqual({ existed: true })
    const [first, ...then] = requestsSince(from)
    expect(first).toBe('DELETE /v9/projects/prj_shop/env/env999')
    expect(then.filter((candidate) => candidate.startsWith(`GET ${ENV}`))).toHaveLength(5)
    expect(then.at(-1)).toBe('DELETE /v9/projects/prj_shop/env/env1')
    expect(server.variables.size).toBe(9)
  })

  it('leaves variables of other owners, branches and environments unchanged', async () => {
    server.add({ key: 'API_KEY', value: 'foreign', target: ['production'] })
    server.add({ key: 'API_KEY', value: 'branch', target: ['preview'], gitBranch: 'main', comment: MARK })
    await open({ deployment_environments: ['development'] }).put(push('API_KEY', 'other destination'), soon())
    expect(await session.remove({ name: 'API_KEY', opId: 'a' }, soon())).toEqual({ existed: false })
    expect(server.variables.size).toBe(3)
  })

  it('succeeds if the project does not exist', async () => {
    const gone = open({ project_id: 'prj_gone' })
    expect(await gone.remove({ name: 'A', opId: 'a', externalVersion: 'env1.1' }, soon())).toEqual({ existed: false })
    expect(await gone.describe!({ name: 'A' }, soon())).toEqual({ exists: false })
  })

  it('never sends an invalid id in a request path', async () => {
    for (const externalVersion of ['../../v1/user', '', '.', 'a/b', 'x'.repeat(200)])
      await session.remove({ name: 'A', opId: 'a', externalVersion }, soon())
    expect(requestsSince().every((candidate) => candidate === `GET ${ENV}`)).toBe(true)
  })
})

describe('vercelSync describe', () => {
  it('reports the ownership of a variable, and a version that changes with each write', async () => {
    const { externalVersion } = await session.put(push('API_KEY', 'value'), soon())
    expect(await session.describe!({ name: 'API_KEY' }, soon())).toEqual({ exists: true, managed: true, externalVersion })
    server.add({ key: 'FOREIGN', target: ['preview'] })
    expect(await session.describe!({ name: 'FOREIGN' }, soon())).toMatchObject({ exists: true, managed: false })
    server.add({ key: 'ELSEWHERE', target: ['development'] })
    expect(await session.describe!({ name: 'ELSEWHERE' }, soon())).toEqual({ exists: false })
    const editor = open()
    await editor.put(push('API_KEY', 'edited', { previous: externalVersion! }), soon())
    expect((await session.describe!({ name: 'API_KEY' }, soon())).externalVersion).not.toBe(externalVersion)
  })

  it('reads a list of 3,000 variables on one page, and skips malformed entries', async () => {
    const envs = Array.from({ length: 3000 }, (_, i) => ({
      id: `e${i}`,
      key: `K${i}`,
      target: 'production',
      value: 'x'.repeat(500),
    }))
    server.answers('listEnvs', { status: 200, body: { envs: [7, null, [], {}, ...envs] } })
    expect(await session.describe!({ name: 'K2999' }, soon())).toEqual({ exists: true, managed: false, externalVersion: 'e2999' })
    for (const next of [null, 0, '', undefined])
      for (const body of [{ envs: [], pagination: { next } }]) {
        server.answers('listEnvs', { status: 200, body })
        expect(await session.describe!({ name: 'A' }, soon())).toEqual({ exists: false })
      }
  })

  it('fails if the list is endless or malformed', async () => {
    server.answers('listEnvs', { status: 200, body: { envs: [], pagination: { next: 7 } } }, 10)
    expect(await thrownBy(session.describe!({ name: 'A' }, soon()))).toMatchObject({ kind: 'external', code: 'endless_list' })
    for (const body of ['{}', '[]', '{"envs":7}', 'garbage']) {
      server.calm()
      server.answers('listEnvs', { status: 200, body })
      expect(await thrownBy(session.describe!({ name: 'A' }, soon()))).toMatchObject({ kind: 'external', code: 'no_list' })
    }
  })
})

describe('vercelSync validate', () => {
  it('checks token, project, team and environments', () => {
    const { validate } = vercelSync()
    const fieldsOf = (more: object) => validate({ ...config, ...more }).map(({ field }) => field)
    expect(fieldsOf({})).toEqual([])
    expect(fieldsOf({ team_id: '' })).toEqual([])
    expect(fieldsOf({ team_id: 'team_1', project_id: 'my.shop-2' })).toEqual([])
    for (const access_token of ['', 'two words', 7, undefined]) expect(fieldsOf({ access_token })).toEqual(['access_token'])
    for (const project_id of ['', '..', 'a/b', 'a?b', 7, undefined]) expect(fieldsOf({ project_id })).toEqual(['project_id'])
    for (const team_id of ['a b', '../x', 7, {}]) expect(fieldsOf({ team_id })).toEqual(['team_id'])
    for (const deployment_environments of [[], ['staging'], ['production', 7], 'production', undefined])
      expect(fieldsOf({ deployment_environments })).toEqual(['deployment_environments'])
    expect(validate({}).map(({ field }) => field)).toEqual(['access_token', 'project_id', 'deployment_environments'])
  })
})
