import { MessageChannel } from 'node:worker_threads'
import { tcpTransport } from '../../../src/adapters/replication-tcp/index.ts'
import { workerTransport } from '../../../src/adapters/replication-worker/index.ts'
import { inProcessNetwork, systemClock } from '../../../src/index.ts'
import { fakeClock, simulatedNetwork } from '../../../src/testing/index.ts'
import { transportSuite } from './suite.ts'

transportSuite('in one process', () => {
  const network = inProcessNetwork()
  return { listener: network, requester: network, listenAddress: '', unusedAddress: 'elsewhere' }
})

// Nothing listens on port 9 (discard).
transportSuite('TCP', () => ({
  listener: tcpTransport(),
  requester: tcpTransport(),
  listenAddress: '',
  unusedAddress: '127.0.0.1:9',
}))

transportSuite('TCP, one transport for both sides', () => {
  const transport = tcpTransport()
  return { listener: transport, requester: transport, listenAddress: 'localhost:0', unusedAddress: 'localhost:9' }
})

transportSuite('worker', () => {
  const { port1, port2 } = new MessageChannel()
  return {
    listener: workerTransport({ peers: { secondary: port1 } }),
    requester: workerTransport({ peers: { primary: port2 } }),
    listenAddress: 'primary',
    unusedAddress: 'elsewhere',
    close: () => port1.close(),
  }
})

for (const [name, clock, delay] of [
  ['with a fake clock and no delay', fakeClock(), 0],
  ['with delays of the system clock', systemClock, [0, 3]],
] as const)
  transportSuite(`simulated, ${name}`, () => {
    const network = simulatedNetwork({ clock, seed: 1, delayMs: delay, duplicate: 0 })
    return { listener: network.at('primary'), requester: network.at('secondary'), listenAddress: '', unusedAddress: 'elsewhere' }
  })
