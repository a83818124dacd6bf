/** A dev server in a process of its own, which reports how long its event loop was held. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { devServer } from 'strongroom/testing'

const server = await devServer()
const delay = monitorEventLoopDelay({ resolution: 1 })
const milliseconds = (nanoseconds) => nanoseconds / 1e6

process.on('message', async (message) => {
  if (message === 'begin') {
    delay.reset()
    delay.enable()
    process.send({ begun: true })
  }
  if (message === 'end') {
    delay.disable()
    process.send({
      p50: milliseconds(delay.percentile(50)),
      p99: milliseconds(delay.percentile(99)),
      max: milliseconds(delay.max),
    })
  }
  if (message === 'stop') {
    await server.stop()
    process.disconnect()
  }
})
process.send({ address: server.getAddress(), token: server.getRootToken() })
