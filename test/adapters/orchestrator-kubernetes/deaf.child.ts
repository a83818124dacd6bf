/**
 * Listens with a backlog of one, so that it accepts no connection while it is stopped. Started by times.slow.test.ts.
 */
import { type AddressInfo, createServer } from 'node:net'
import { send } from '../../fixtures/child-side.ts'

const server = createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => send([(server.address() as AddressInfo).port]))
