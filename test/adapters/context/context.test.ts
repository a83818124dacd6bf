/** The token of a request as context of asynchronous work. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KernelContext, kernelContext } from '../../../src/adapters/context/index.ts'
import { type AuditEntry, createDevKernel, type Kernel, type TokenView } from '../../../src/index.ts'

let kernel: Kernel
let context: KernelContext<TokenView>
let entries: AuditEntry[]

beforeEach(async () => {
  entries = []
  kernel = await createDevKernel({ ports: { audit: { sinks: { main: async (entry) => void entries.push(entry) } } } })
  context = kernelContext(kernel)
})
afterEach(() => kernel.close())

/** Creates a token that may read only the secret `name`. */
async function tokenFor(name: string): Promise<string> {
  await kernel.kv.writeSecret({ path: name, data: { name } })
  await kernel.policies.writePolicy({ name, policy: `path "secret/${name}" { capabilities = ["read"] }` })
  return (await kernel.tokens.createToken({ policies: [name] })).client_token
}

const read = async (path: string): Promise<unknown> => {
  await new Promise((resolve) => setImmediate(resolve))
  return (await context.current().kv.readSecret({ path })).data
}

describe('kernelContext', () => {
  it('makes the view of a token available to everything that a run awaits', async () => {
    const token = await tokenFor('a')
    await context.run(token, async () => {
      expect(await read('a')).toEqual({ name: 'a' })
      await expect(read('b')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    })
  })

  it('refuses current outside of a run', async () => {
    const token = await tokenFor('a')
    expect(() => context.current()).toThrow('current: no run is active')
    await context.run(token, () => read('a'))
    expect(() => context.current()).toThrow('current: no run is active')
    expect(() =>
      context.run(token, () => {
        throw new Error('the work failed')
      }),
    ).toThrow('the work failed')
    expect(() => context.current()).toThrow('current: no run is active')
  })

  it('restores the outer run after a nested run, also if that fails', async () => {
    const [a, b] = [await tokenFor('a'), await tokenFor('b')]
    await context.run(a, async () => {
      await context.run(b, () => read('b'))
      await expect(context.run(b, () => read('a'))).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
      expect(await read('a')).toEqual({ name: 'a' })
    })
  })

  it('never mixes concurrent runs', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `user-${n}`)
    const tokens = await Promise.all(names.map((name) => tokenFor(name)))
    const work = async (name: string): Promise<unknown[]> => {
      const seen: unknown[] = []
      for (let n = 0; n < 10; n++) {
        await new Promise((resolve) => (n % 3 === 0 ? setTimeout(resolve, n % 4) : setImmediate(resolve)))
        seen.push(await read(name))
      }
      return seen
    }
    const runs = Array.from({ length: 100 }, (_, n) => n % names.length)
    const seen = await Promise.all(runs.map((n) => context.run(tokens[n] as string, () => work(names[n] as string))))
    expect(seen).toEqual(runs.map((n) => Array.from({ length: 10 }, () => ({ name: names[n] }))))
  })

  it('keeps the contexts of two kernels apart', async () => {
    const other = await createDevKernel()
    const second = kernelContext(other)
    const token = await tokenFor('a')
    await second.run(other.rootToken as string, async () => {
      expect(() => context.current()).toThrow('no run is active')
      await context.run(token, async () => {
        expect(await read('a')).toEqual({ name: 'a' })
        await second.current().kv.writeSecret({ path: 'x', data: { x: 1 } })
      })
    })
    await other.close()
  })

  it('refuses calls after the token was revoked during the run', async () => {
    const token = await tokenFor('a')
    await context.run(token, async () => {
      await read('a')
      await kernel.tokens.revokeToken({ token })
      await expect(read('a')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    })
  })

  it('compares the address of the run with the networks of the token', async () => {
    await tokenFor('a')
    await kernel.tokens.writeRole({ role_name: 'inside', allowed_policies: ['a'], token_bound_cidrs: ['10.0.0.0/8'] })
    const { client_token: token } = await kernel.tokens.createWithRole({ role_name: 'inside', policies: ['a'] })
    await context.run(token, () => read('a'), { remoteAddress: '10.1.2.3' })
    for (const options of [{}, { remoteAddress: '192.0.2.1' }])
      await expect(context.run(token, () => read('a'), options)).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  })

  it('refuses an empty token, a wrong request id, and work that is no function', async () => {
    const work = () => undefined
    expect(() => context.run('', work)).toThrow('as: token must be a non-empty string')
    for (const requestId of ['', 'a\nb', 'ü', 'x'.repeat(129), 5 as never])
      expect(() => context.run('t', work, { requestId })).toThrow('requestId: must be 1 to 128 printable ASCII characters')
    expect(() => context.run('t', 5 as never)).toThrow('run: work must be a function')
    expect(() => kernelContext({} as never)).toThrow('kernelContext: kernel must be a kernel')
  })
})

describe('the audit log of a run', () => {
  const idsSince = (from: number) => [...new Set(entries.slice(from).map(({ request }) => request.id))]

  it('has the request id of the run in every entry, with its characters escaped', async () => {
    const token = await tokenFor('a')
    const from = entries.length
    await context.run(token, () => Promise.all([read('a'), read('a')]), { requestId: 'req "7" \\' })
    expect(entries.slice(from).map(({ type }) => type)).toEqual(expect.arrayContaining(['request', 'response']))
    expect(entries.length - from).toBe(4)
    expect(idsSince(from)).toEqual(['req "7" \\'])
  })

  it('has one random id for each run without a request id, and the id of the outer run for a nested run', async () => {
    const token = await tokenFor('a')
    const from = entries.length
    await context.run(token, async () => {
      await read('a')
      await context.run(token, () => read('a'))
    })
    const [first, ...others] = idsSince(from)
    expect(others).toEqual([])
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const second = entries.length
    await context.run(token, () => read('a'))
    expect(idsSince(second)).not.toContain(first)
  })

  it('has a random id for every call of a view that was made without a request id', async () => {
    const view = kernel.as(await tokenFor('a'))
    const from = entries.length
    await view.kv.readSecret({ path: 'a' })
    await view.kv.readSecret({ path: 'a' })
    expect(idsSince(from)).toHaveLength(2)
  })
})
