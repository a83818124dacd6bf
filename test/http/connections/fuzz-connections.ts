/**
 * Random connections to servers with small budgets. Each answer must be complete and in order, and the memory in use must stay within the
 * budget.
 */
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect } from 'vitest'
import { acceptList } from '../../../src/adapters/http/index.ts'
import { CONNECTION_ALLOWANCE_BYTES, type MemoryBudget } from '../../../src/adapters/http/memory-budget.ts'
import { memoryBoundsOf } from '../../../src/adapters/http/request-handler.ts'
import { listenerWithLimits } from '../../../src/adapters/http/request-listener.ts'
import { createDevKernel } from '../../../src/index.ts'
import { TIER } from '../../tiers.ts'
import { AnswerReader } from '../answer-reader.ts'
import { type Front, type FrontKind, HTTP1_FRONTS, HTTP2_FRONTS, openFront } from '../fronts.ts'
import { until } from '../raw-client.mjs'
import { echoKernel, echoOf } from './echo-kernel.ts'
import { http1Case } from './http1-case.ts'
import { http2Case } from './http2-case.ts'
import { Random } from './random.ts'

/** A failure reports the seed of its case; set it in the environment to repeat that case alone. */
const SEED = process.env['SEED']

const BUDGET_BYTES = 2 << 20
/** Only a failed connection or an overloaded machine takes this long. */
const STALL_MS = 10_000
/** The number of concurrent connections. */
const CROWD = 8

/** The server for each protocol. */
export const PROTOCOLS: Readonly<Record<string, FrontKind>> = {
  'HTTP/1.1': HTTP1_FRONTS['node:http with LIST'] as FrontKind,
  'HTTP/1.1 over TLS': withList(HTTP1_FRONTS['node:http2 for clients of HTTP/1.1'] as FrontKind),
  'HTTP/2': HTTP2_FRONTS['node:http2'] as FrontKind,
}

function withList(kind: FrontKind): FrontKind {
  return { ...kind, make: (listener) => acceptList(kind.make(listener)) }
}

interface Server {
  readonly front: Front
  readonly budget: MemoryBudget
  /** The maximum of the bytes held above the budget and the allowances of connections. */
  readonly excess: () => number
  close(): Promise<void>
}

async function openServer(kind: FrontKind): Promise<Server> {
  const bounds = memoryBoundsOf({ maxBodyBytes: BUDGET_BYTES, stallTimeoutMs: STALL_MS })
  const { budget } = bounds
  const kernel = await createDevKernel()
  let excess = 0
  const note = () => {
    excess = Math.max(excess, budget.held - BUDGET_BYTES - (CROWD + 1) * 2 * CONNECTION_ALLOWANCE_BYTES)
  }
  const front = await openFront(kind, listenerWithLimits(bounds, echoKernel(kernel, note)))
  return {
    front,
    budget,
    excess: () => excess,
    async close() {
      front.close()
      await kernel.close()
    },
  }
}

async function wellBehaved(connect: () => Duplex): Promise<void> {
  const socket = connect()
  socket.write('GET /v1/f/good/100 HTTP/1.1\r\nHost: h\r\n\r\n')
  const [answer] = await new AnswerReader(socket).read(1)
  socket.destroy()
  expect(answer?.body.toString()).toBe(echoOf('good', 100))
}

/** @param seed The seed of the first case. The soak tier draws it. */
export async function fuzzConnections(kind: FrontKind, cases: number, seed = 19): Promise<void> {
  const { front, budget, excess, close } = await openServer(kind)
  const first = SEED === undefined ? (TIER === 'soak' ? Math.floor(Math.random() * 2 ** 31) : seed) : Number(SEED)
  const isHttp2 = Object.values(HTTP2_FRONTS).includes(kind)
  const connect = () => front.connect()
  const runSeed = async (seed: number) => {
    try {
      if (isHttp2) await http2Case(async () => connected(connect()), new Random(seed))
      else await http1Case(connect, new Random(seed))
    } catch (thrown) {
      throw new Error(`SEED=${seed}: ${(thrown as Error).message}`, { cause: thrown })
    }
  }
  try {
    const count = SEED === undefined ? cases : 1
    for (let at = 0; at < count; at += CROWD) {
      const seeds = Array.from({ length: Math.min(CROWD, count - at) }, (_, i) => first + at + i)
      const crowd = seeds.map(runSeed)
      if (!isHttp2) crowd.push(wellBehaved(connect))
      await Promise.all(crowd)
      expect(excess()).toBe(0)
    }
    // Node 20 stops reading after some protocol errors, so it does not notice that the client has left. The stall timeout would end that.
    for (const socket of front.sockets) socket.destroy()
    await until(() => budget.held === 0)
  } finally {
    await close()
  }
}

async function connected(socket: Duplex): Promise<Duplex> {
  await once(socket, 'connect')
  return socket
}
