/**
 * LIST and rules with wildcards: a rule for the paths below a folder also covers a list of that folder. Tried for every LIST operation, in
 * every form of the request, in the root namespace and in another one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import {
  completed,
  EVERY_OPERATION,
  freePathOf,
  type Known,
  methodOf,
  mountAll,
  requestOf,
  typedOutcome,
} from '../fixtures/every-operation.ts'

const LISTS = EVERY_OPERATION.filter(({ operation }) => operation.verb === 'LIST')

const ALL = '["create", "read", "update", "delete", "list", "sudo"]'

/** `over` applies to everything, `below` to the paths below `path`. */
const policyOf = (path: string, over: string, below: string): string =>
  `path "*" { capabilities = ${over} }\npath "${path}/*" { capabilities = ${below} }`

const pathOf = (known: Known): string => requestOf(known, {}).path.replace('/v1/', '').replace(/\/$/, '')

let kernel: Kernel
const tokens = new Map<string, string>()

/** One token for each policy, created in a namespace. */
async function tokenFor(space: string, policy: string): Promise<string> {
  const key = `${space} ${policy}`
  const known = tokens.get(key)
  if (known !== undefined) return known
  const view = space === '' ? kernel : kernel.namespace(space)
  const name = `p${tokens.size}`
  await view.policies.writePolicy({ name, policy })
  const { client_token } = await view.tokens.createToken({ policies: [name], no_default_policy: true, no_parent: true })
  tokens.set(key, client_token)
  return client_token
}

const SPACES = ['', 'ns1/']

beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.namespaces.createNamespace({ name: 'ns1' })
  await mountAll(kernel, true)
  await mountAll(kernel.namespace('ns1/'), false)
})
afterAll(() => kernel.close())

/** Every form of a list request for one path. */
function formsOf(path: string, space: string): readonly KernelRequest[] {
  const inPath = [path, `${path}/`].flatMap((listedPath) => [
    { method: 'LIST', path: `/v1/${space}${listedPath}` },
    { method: 'GET', path: `/v1/${space}${listedPath}`, query: { list: 'true' } },
  ])
  if (space === '') return inPath
  const byHeader = inPath.map((request) => ({
    ...request,
    path: request.path.replace(space, ''),
    headers: { 'X-Service-Namespace': space },
  }))
  return [...inPath, ...byHeader]
}

async function statusesOf(known: Known, space: string, token: string): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const { headers, ...request } of formsOf(pathOf(known), space)) {
    const sent = { ...request, headers: { ...headers, 'X-Service-Token': token } }
    statuses.push((await kernel.handle(sent)).status)
    const wrapped = { ...sent, headers: { ...sent.headers, 'X-Service-Wrap-TTL': '60' } }
    statuses.push((await kernel.handle(wrapped)).status)
  }
  const view = (space === '' ? kernel : kernel.namespace(space)).as(token)
  const typed = methodOf(view, known)
  if (typed) statuses.push((await typedOutcome(() => typed(completed(known, {}, 'typed')))).status)
  return statuses
}

const CASES = SPACES.flatMap((space) =>
  LISTS.filter(({ operation }) => space === '' || !operation.rootOnly).map((known) => [known.title, space, known] as const),
)

it('this test covers the LIST operations of at least nine engines', () => {
  expect(new Set(LISTS.map(({ mount }) => mount)).size).toBeGreaterThanOrEqual(9)
})

describe('a deny rule for everything below a folder', () => {
  it.each(CASES)('refuses %s in namespace "%s" although a wider rule grants it', async (_, space, known) => {
    const path = pathOf(known)
    const token = await tokenFor(space, policyOf(path, ALL, '["deny"]'))
    expect(new Set(await statusesOf(known, space, token))).toEqual(new Set([403]))
    const view = space === '' ? kernel : kernel.namespace(space)
    const { by_path } = await view.policies.capabilities({ token, paths: [`${path}/`, `/${path}/`] })
    expect(Object.values(by_path)).toEqual([['deny'], ['deny']])
    for (const listedPath of [path, `${path}/`, `/${path}`])
      expect(await view.policies.explain({ token, operation: 'list', path: listedPath })).toMatchObject({
        allowed: false,
        rule: { pattern: `${space}${path}/*` },
      })
  })
})

describe('a grant for everything below a folder', () => {
  it.each(CASES)('allows %s in namespace "%s" although a wider rule denies it', async (_, space, known) => {
    const path = pathOf(known)
    const token = await tokenFor(space, policyOf(path, '["deny"]', '["list", "sudo"]'))
    expect(await statusesOf(known, space, token)).not.toContain(403)
    const view = space === '' ? kernel : kernel.namespace(space)
    const { by_path } = await view.policies.capabilities({ token, paths: [`${path}/`] })
    expect(Object.values(by_path)).toEqual([['list', 'sudo']])
    for (const listedPath of [path, `${path}/`])
      expect(await view.policies.explain({ token, operation: 'list', path: listedPath })).toMatchObject({ allowed: true })
  })
})

describe('a deny rule for the path of a folder without a slash', () => {
  const FREE = LISTS.filter((known) => freePathOf(known) !== undefined)

  it.each(FREE.map((known) => [known.title, known] as const))(
    'refuses %s even if the folder is written with a slash at the end',
    async (_, known) => {
      const path = `${pathOf(known)}/private`
      const token = await tokenFor('', `path "*" { capabilities = ${ALL} }\npath "${path}" { capabilities = ["deny"] }`)
      const typed = methodOf(kernel.as(token), known)
      for (const folder of ['private', 'private/']) {
        const args = { [freePathOf(known) as string]: folder }
        if (typed) expect([folder, await typedOutcome(() => typed(args))]).toMatchObject([folder, { status: 403 }])
        expect(
          (await kernel.handle({ method: 'LIST', path: `/v1/${pathOf(known)}/${folder}`, headers: { 'X-Service-Token': token } }))
            .status,
        ).toBe(403)
      }
    },
  )
})
