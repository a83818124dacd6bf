/** Sends a request as a typed call or a call by path, with outcomes in one form. */
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Auth } from '../../../src/core/contract/auth-reply.ts'
import { orchestrator } from '../../../src/engines/orchestrator/index.ts'
import { type Kernel, KernelError } from '../../../src/index.ts'

export type Operation = keyof typeof orchestrator.operations

export type Input = Readonly<Record<string, unknown>>

export interface How {
  /** Path of the mount below `auth/`; default `orchestrator`. */
  readonly at?: string
  /** The caller's address. */
  readonly address?: string | undefined
  readonly namespace?: string
  /** The caller's token; by default the application (typed call) or the root token (call by path). */
  readonly token?: string
}

/** An outcome in the form of an answer to a call by path. */
export interface Outcome {
  readonly status: number
  readonly auth: Auth | undefined
  readonly data: Input | undefined
  readonly warnings: readonly string[]
  readonly errors: readonly string[]
  /** Everything that the caller can see, including inspected error objects. */
  readonly text: string
}

export interface View {
  readonly name: 'typed' | 'path'
  ask(kernel: Kernel, operation: Operation, input?: Input, how?: How): Promise<Outcome>
}

const NOTHING = { auth: undefined, data: undefined, warnings: [], errors: [] }

type Method = (input: Input, options: object) => Promise<Input>

export const TYPED: View = {
  name: 'typed',
  async ask(kernel, operation, input = {}, { at = 'orchestrator', address, namespace, token } = {}) {
    const from = namespace === undefined ? kernel : kernel.namespace(namespace)
    const remote = address === undefined ? {} : { remoteAddress: address }
    const by = token === undefined ? from : from.as(token, remote)
    const methods = by.orchestrator.at(`auth/${at}`) as unknown as Readonly<Record<Operation, Method>>
    try {
      const { warnings = [], ...result } = await methods[operation](input, token === undefined ? remote : {})
      const said = { ...NOTHING, warnings: warnings as readonly string[], text: JSON.stringify({ warnings, ...result }) }
      if ('client_token' in result) return { ...said, status: 200, auth: result as unknown as Auth }
      if (Object.keys(result).length > 0) return { ...said, status: 200, data: result }
      return { ...said, status: said.warnings.length > 0 ? 200 : 204 }
    } catch (thrown) {
      if (!(thrown instanceof KernelError)) throw thrown
      const { status, message } = thrown
      const shown = inspect(thrown, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })
      return { ...NOTHING, status, errors: [message], text: `${shown} ${JSON.stringify(thrown)} ${String(thrown)}` }
    }
  },
}

export const PATH: View = {
  name: 'path',
  async ask(kernel, operation, input = {}, { at = 'orchestrator', address, namespace, token = kernel.rootToken ?? '' } = {}) {
    const { verb, path } = orchestrator.operations[operation]
    const captured = path.includes(':name')
    const below = path.replace(':name', encodeURIComponent(String(input['name'])))
    const body = Object.fromEntries(Object.entries(input).filter(([name]) => !(captured && name === 'name')))
    const response = await kernel.handle({
      method: verb,
      path: `/v1/auth/${at}${below}`,
      headers: { 'X-Service-Token': token, ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }) },
      remoteAddress: address,
      ...(verb === 'POST' ? { body: JSON.stringify(body) } : {}),
    })
    const answer = (response.body ?? {}) as { readonly [M in keyof Outcome]?: Outcome[M] | null }
    return {
      status: response.status,
      auth: answer.auth ?? undefined,
      data: answer.data ?? undefined,
      warnings: answer.warnings ?? [],
      errors: answer.errors ?? [],
      text: JSON.stringify(response),
    }
  },
}

export const VIEWS: readonly View[] = [TYPED, PATH]

/** A refused login, whatever the reason: two words in a call by path, and in a typed call a sentence that starts with them. */
export const REFUSED = { status: 403, errors: [expect.stringMatching(/^permission denied(:.*)?$/)] }
