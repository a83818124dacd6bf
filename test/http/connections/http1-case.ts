/** One connection of HTTP/1.1 with random requests, packets and reading. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'vitest'
import { AnswerReader, type ReadAnswer } from '../answer-reader.ts'
import { randomRequests, type WireRequest } from './http1-requests.ts'
import type { Random } from './random.ts'

/** How a client treats its connection. "reads", "stalls" and "ends" wait for all answers. */
const MANNERS = ['reads', 'reads', 'stalls', 'ends', 'leaves', 'resets', 'never reads'] as const

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

/** Sends bytes in packets of random sizes. */
async function send(socket: Duplex, bytes: Buffer, random: Random): Promise<void> {
  const packet = random.pick([7, 100, 1000, 20_000, 1_000_000])
  for (let at = 0; at < bytes.length && !socket.destroyed; ) {
    // Limits the number of tiny packets of a large body.
    const end = at + Math.max(1 + random.below(packet), Math.ceil(bytes.length / 50))
    socket.write(bytes.subarray(at, end))
    at = end
    if (random.chance(0.5)) await turns(random.below(3))
  }
}

export async function http1Case(connect: () => Duplex, random: Random): Promise<void> {
  const requests = randomRequests(random)
  const manner = random.pick(MANNERS)
  const socket = connect()
  const reader = new AnswerReader(socket, (index) => requests[index]?.isHead === true)
  const bytes = Buffer.concat(requests.map((request) => request.bytes))
  if (manner === 'stalls' || manner === 'never reads') socket.pause()
  const isCut = manner === 'leaves' || manner === 'resets' || manner === 'never reads'
  await send(socket, isCut ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes, random)
  if (manner === 'ends') socket.end()
  if (manner === 'stalls') {
    await turns(random.below(30))
    socket.resume()
  }
  if (isCut) await turns(random.below(30))
  else await reader.read(requests.length)
  if (requests.at(-1)?.isLast && !isCut) await closed(socket)
  if (manner === 'resets' && !('encrypted' in socket)) (socket as Socket).resetAndDestroy()
  else socket.destroy()
  // After the client has ended its side, Node may close the connection without the remaining answers.
  check(requests, reader, isCut || manner === 'ends')
}

/** Waits until the server has closed the connection, after the client has ended its side. */
async function closed(socket: Duplex): Promise<void> {
  socket.end()
  if (!socket.closed) await new Promise<void>((resolve) => socket.on('close', resolve))
}

function check(requests: readonly WireRequest[], { answers }: AnswerReader, isCut: boolean): void {
  for (const [index, answer] of answers.entries()) {
    const request = requests[index]
    const why = `answer ${index}: ${answer.head.slice(0, 100)}`
    expect(request, why).toBeDefined()
    if (isServed(request as WireRequest, answer, why)) continue
    checkEnd(requests, index, answer, why, isCut)
    return
  }
  if (isCut) return
  const last = requests.at(-1)
  const unanswered = requests.length - answers.length
  // Node closes the connection of a broken request without finishing the answers before it.
  if (last?.isLast && !last.answer) return
  expect(unanswered, `of ${requests.length} requests`).toBe(0)
}

/** Whether the request was served. A large answer may be a 503 that keeps the connection open. */
function isServed({ answer: expected }: WireRequest, { status, head, body }: ReadAnswer, why: string): boolean {
  if (status === 503) {
    expect(head, why).toMatch(/\r\nRetry-After: 1(\r\n|$)/)
    return !/\r\nConnection: close/i.test(head)
  }
  if (!expected || status !== expected.status) return false
  if (expected.body !== undefined) expect(body.equals(Buffer.from(expected.body)), why).toBe(true)
  if (expected.length !== undefined) expect(head, why).toContain(`Content-Length: ${expected.length}`)
  return true
}

/** The refusal of the last request may arrive before answers to unfinished requests. */
function checkEnd(requests: readonly WireRequest[], index: number, { status }: ReadAnswer, why: string, isCut: boolean): void {
  // 408: the machine was too busy for the client to send its body in time.
  if (status === 503 || status === 408 || (isCut && status === 400)) return
  const refused = requests.at(-1)?.refusals ?? []
  expect(refused, why).toContain(status)
  if (status !== 400 && status !== 431) expect(index, why).toBe(requests.length - 1)
}
