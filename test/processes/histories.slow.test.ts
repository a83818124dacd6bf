/**
 * Several processes write to one store. Their observations must be consistent with a single register for each path.
 *
 * Reads of kernels that read the store for each request, and all writes of all kernels, must be linearizable together. Cached reads are not
 * linearizable: they must show a state that is at most as old as the staleness bound when they begin. Half of the kernels with caches get
 * no notifications of other processes' commits, and one process is paused for longer than the bound.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Child, startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import type { Place } from '../fixtures/places.ts'
import { runs } from '../fixtures/runs.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { faultOf, isHeldRead, prepare, type Read } from './history.ts'
import { onEachStore } from './on-each-store.ts'
import { firstOutdated } from './registers.ts'
import type { ChildMessage, Event, WorkerArguments } from './worker.child.ts'

const PROCESSES = [2, 4, 8].slice(0, runs({ quick: 2, soak: 3 }))
const CALLS = runs({ quick: 500, soak: 10_000 })
const REGISTERS = runs({ quick: 6, soak: 24 })
const LANES = 4
const BOUND = 150
const PROGRAM = 'test/processes/worker.child.ts'

beforeAll(() => {
  compiled(PROGRAM)
})

async function run(where: StoreAt, processes: number): Promise<readonly Event[]> {
  const history: Event[] = []
  const opened: Child[] = []
  const work = async (worker: number) => {
    const more = { calls: CALLS, lanes: LANES, registers: REGISTERS, bound: BOUND }
    const child = startChild(PROGRAM, { where, worker, deaf: worker % 2 === 1, ...more } satisfies WorkerArguments)
    for await (const message of child.messages as AsyncIterable<ChildMessage>) {
      if (message.type === 'history') history.push(...message.events)
      else if (message.type === 'open') {
        // All processes begin when the last one is ready, so that their calls overlap.
        if (opened.push(child) === processes) for (const child of opened) child.send('go')
      } else if (worker === 1) {
        child.pause()
        setTimeout(() => child.resume(), 3 * BOUND)
      }
    }
    expect(await child.ended).toBe('done')
  }
  await Promise.all(Array.from({ length: processes }, (_, worker) => work(worker)))
  return history
}

function check(history: readonly Event[]): void {
  for (let register = 0; register < REGISTERS; register++) expect(faultOf(history, register, BOUND)).toBeUndefined()
}

/** Whether the history contains enough calls of each kind. An empty history would prove nothing. */
function isMixed(history: readonly Event[], processes: number): boolean {
  const count = (is: (event: Event) => boolean): number => history.filter(is).length
  const isLagging = (register: number): boolean => {
    const events = history.filter((event) => event.register === register)
    const exact = events.filter((event) => !isHeldRead(event))
    return firstOutdated(events.filter(isHeldRead) as unknown as readonly Read[], exact, 0) !== undefined
  }
  return (
    history.length > processes * CALLS * 0.8 &&
    count(({ op, by }) => by === 'held' && op.kind === 'read' && op.version > 0) > processes * CALLS * 0.2 &&
    count(({ op }) => op.kind === 'cas' && op.version === 0) > 10 &&
    count(({ op, by }) => by === 'held' && op.kind === 'cas' && (op.version as number) > 0) > 10 &&
    count(({ op }) => op.kind === 'write') > 10 &&
    // Kernels without notifications are often stale.
    Array.from({ length: REGISTERS }, (_, register) => register).some(isLagging)
  )
}

onEachStore('concurrent processes', (open) => {
  const places: Place[] = []
  afterAll(() => Promise.all(places.map((place) => place.remove())))

  it.each(PROCESSES)(`read and write registers linearizably: %i processes, ${CALLS} calls each`, async (processes) => {
    let mixed = false
    for (let tries = 0; !mixed && tries < 5; tries++) {
      const place = await open()
      places.push(place)
      await prepare(place.where)
      const history = await run(place.where, processes)
      check(history)
      mixed = isMixed(history, processes)
    }
    expect(mixed).toBe(true)
  })
})
