import { describe, expect, it } from 'vitest'
import { inProcessNetwork } from '../../../src/index.ts'
import { bytesOf, never } from './suite.ts'

describe('an in-process network', () => {
  it('distributes requests over all listeners at an address, and after one closes over the others', async () => {
    const network = inProcessNetwork()
    const answering = (n: number) => network.listen('primary', async () => Uint8Array.of(n))
    const ask = async (times: number) => {
      const answers: number[] = []
      for (let n = 0; n < times; n++) answers.push(...(await network.request('primary', bytesOf(1), never())))
      return answers
    }
    const [first, second, third] = [await answering(1), await answering(2), await answering(3)]
    const six = await ask(6)
    for (const n of [1, 2, 3]) expect(six.filter((candidate) => candidate === n)).toHaveLength(2)
    await second.close()
    await second.close()
    expect([...(await ask(4))].sort()).toEqual([1, 1, 3, 3])
    await first.close()
    await third.close()
    await expect(ask(1)).rejects.toThrow(/no kernel listens/)
  })

  it('accepts the same handler twice at one address', async () => {
    const network = inProcessNetwork()
    const handler = async () => bytesOf(1)
    const [firstListener, otherListener] = [await network.listen('primary', handler), await network.listen('primary', handler)]
    await firstListener.close()
    expect(await network.request('primary', bytesOf(1), never())).toHaveLength(1)
    await otherListener.close()
    await expect(network.request('primary', bytesOf(1), never())).rejects.toThrow(/no kernel listens/)
  })

  it('chooses for each listener an unused address, which another network cannot reach', async () => {
    const network = inProcessNetwork()
    const handler = async () => bytesOf(1)
    const first = await network.listen('', handler)
    const next = first.address.replace(/\d+$/, (n) => String(Number(n) + 1))
    await network.listen(next, handler)
    const chosen = new Set([first.address, next])
    for (let n = 0; n < 5; n++) chosen.add((await network.listen('', handler)).address)
    expect(chosen.size).toBe(7)
    await expect(inProcessNetwork().request(first.address, bytesOf(1), never())).rejects.toThrow(/no kernel listens/)
  })

  it('calls a handler only after the call of request() has returned', async () => {
    const network = inProcessNetwork()
    let called = false
    const { address } = await network.listen('', async (message) => {
      called = true
      return message
    })
    const answer = network.request(address, bytesOf(1), never())
    expect(called).toBe(false)
    await answer
    expect(called).toBe(true)
  })
})
