/**
 * Every operation answers the largest input that it accepts, and a larger one. The requests are generated from the definitions of the
 * operations. The answers of calls by path are wrapped, audited and encoded as over HTTP. Typed calls use a token, so that policies are
 * evaluated too. The quick tier checks the answers. A measured file also checks how long a request blocks the process.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeAnswer } from '../../src/adapters/http/encode-answer.ts'
import { BudgetShare, MemoryBudget } from '../../src/adapters/http/memory-budget.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { fakeDatabasePlugin } from '../../src/testing/index.ts'
import { allCases, type Case, type Size, typedOf } from './operation-cases.ts'
import type { Watch } from './stretch.ts'

/** The kernel that requests are sent to. */
export interface Target {
  readonly kernel: Kernel
  readonly close: () => Promise<void>
}

async function single(): Promise<Target> {
  const kernel = await createDevKernel({
    ports: { audit: { sinks: { main: () => {} } }, databases: { a: fakeDatabasePlugin() } },
  })
  await kernel.mounts.createMount({ path: 'kv2/', type: 'kv', options: { version: '2' } })
  return { kernel, close: () => kernel.close() }
}

/**
 * @param sizes The sizes of the inputs, by the names that titles show.
 * @param each Every `each`th case of the list is tried.
 * @param open Opens the target.
 * @param tries Whether a case is tried.
 */
export function describeOperations(
  sizes: Readonly<Record<string, Size>>,
  each: number,
  watch: Watch,
  open: () => Promise<Target> = single,
  tries: (tried: Case) => boolean = () => true,
): void {
  let target: Target
  let kernel: Kernel
  let token: string
  beforeAll(async () => {
    target = await open()
    kernel = target.kernel
    token = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  })
  afterAll(() => target.close())

  /** Prepares a request. @returns A function that sends it and returns its status. */
  function byPath({ operation: { verb }, path, body }: Case): () => Promise<number> {
    const takesBody = verb === 'POST' || verb === 'PATCH'
    const members = body()
    const texts = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string')
    const type = verb === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const request = {
      method: verb,
      path: `/v1/${path}`,
      headers: { 'X-Service-Token': token, 'X-Service-Wrap-TTL': '60', 'Content-Type': type },
      ...(takesBody ? { body: Buffer.from(JSON.stringify(members)) } : { query: Object.fromEntries(texts) }),
    }
    return async () => {
      const answer = await kernel.handle(request)
      await encodeAnswer(answer, verb, new BudgetShare(new MemoryBudget(Number.MAX_SAFE_INTEGER)))
      return answer.status
    }
  }

  /** The typed call of a case, or undefined if there is no such method. */
  function byType(tried: Case): (() => Promise<number>) | undefined {
    const call = typedOf(kernel.as(token), tried)
    return (
      call &&
      (() =>
        call().then(
          () => 200,
          (error: { readonly status?: number }) => error.status ?? 400,
        ))
    )
  }

  async function check(call: () => Promise<number>): Promise<void> {
    let status = 0
    await watch(async () => {
      status = await call()
      expect(status).toBeLessThan(500)
    })
    // Some operations revoke the token of their caller.
    if (status === 403) token = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
  }

  describe.each(Object.entries(sizes))('requests %s', (_, size) => {
    const cases = allCases(size)
      .filter(tries)
      .filter((_, index) => index % each === 0)

    it.each(cases.map((tried) => [tried.name, tried] as const))('do not fail with a server error: %s', async (_, tried) => {
      await check(byPath(tried))
      const typed = byType(tried)
      if (typed) await check(typed)
    })
  })
}
