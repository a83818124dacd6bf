import { expect } from 'vitest'
import { createKernel, type Kernel, keySeal, type Storage } from '../../../../src/index.ts'
import type { FakeClock } from '../../../../src/testing/index.ts'

const KEY = new Uint8Array(32).fill(5)

export const openOn = (storage: Storage, clock?: FakeClock): Promise<Kernel> =>
  createKernel({ storage, seal: keySeal(KEY), initialize: true, ...(clock ? { clock } : {}) })

export interface RequestOptions {
  readonly token?: string
  readonly namespace?: string
  readonly from?: string
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely.
  readonly body: any
}

/** Sends a call by path. */
export async function ask(
  kernel: Kernel,
  method: string,
  path: string,
  body?: object,
  how: RequestOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = { 'X-Service-Token': how.token ?? kernel.rootToken ?? '' }
  if (how.namespace) headers['X-Service-Namespace'] = how.namespace
  const { status, body: answer } = await kernel.handle({
    method,
    path: `/v1/${path}`,
    headers,
    ...(body ? { body } : {}),
    ...(how.from ? { remoteAddress: how.from } : {}),
  })
  return { status, body: answer }
}

/** Creates a token with the root token, or with `how.token`. */
export async function tokenFor(kernel: Kernel, body: object, how: RequestOptions = {}): Promise<string> {
  const { status, body: answer } = await ask(kernel, 'POST', 'auth/token/create', body, how)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer.auth.client_token
}

export const lookSelf = async (kernel: Kernel, token: string): Promise<number> =>
  (await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token })).status

/** Permits creating tokens and looking them up. */
export const MAKER = 'path "auth/token/*" { capabilities = ["create", "read", "update"] }'

/** Ticks until this kernel finds no due work. */
export async function tickAll(kernel: Kernel): Promise<void> {
  for (;;) {
    const { done, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0) return
  }
}

/** Counts the remaining token records by folder, without those of the root token. */
export async function remains(storage: Storage): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = { token: -1, accessor: -1, child: 0, cubbyhole: 0, due: 0 }
  for (const { key } of await storage.scan('')) {
    const [, place, folder = ''] = key.split('/')
    if (place === 'core' && folder in counts) counts[folder] = (counts[folder] as number) + 1
    if (place === 'due') counts['due'] = (counts['due'] as number) + 1
  }
  return counts
}

export const NOTHING = { token: 0, accessor: 0, child: 0, cubbyhole: 0, due: 0 }

const AT_ONCE = 1000

/** Creates `wanted` tokens as a tree with `width` children per token; the first token is the root of the tree. */
export async function grow(kernel: Kernel, total: number, width: number): Promise<readonly string[]> {
  await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
  const all = [(await kernel.tokens.createToken({ policies: ['maker', 'default'] })).client_token]
  for (let parent = 0; all.length < total; parent++) {
    const view = kernel.as(all[parent] as string).tokens
    for (let left = Math.min(width, total - all.length); left > 0; left -= AT_ONCE) {
      const made = await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => view.createToken({ ttl: '20h' })))
      all.push(...made.map(({ client_token }) => client_token))
    }
  }
  return all
}
