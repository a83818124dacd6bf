/**
 * How a server that accepts LIST treats bytes on a socket. Plain JavaScript, so that every supported Node can run it: vitest from source,
 * and `on-node.mjs` from the build.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { converse, tcp, until } from './raw-client.mjs'

const HEAD = 'HTTP/1.1\r\nHost: h\r\n'
const list = (path, head = '') => `LIST ${path} ${HEAD}${head}\r\n`
const get = (path, head = '') => `GET ${path} ${HEAD}${head}\r\n`
const post = (path, body) => `POST ${path} ${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

/** Echoes the request. `/slow` takes a while, `/large` has a long answer. */
function echo(request, response) {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const { method, url } = request
    const answer = () => {
      const text = url.startsWith('/large') ? 'x'.repeat(4_000_000) : `${method} ${url}${body && ` ${body}`}`
      response.setHeader('Content-Length', text.length)
      response.end(text)
    }
    // No test waits for this answer.
    if (url.startsWith('/slowest')) setTimeout(answer, 5000).unref()
    else if (url.startsWith('/slow')) setTimeout(answer, 60)
    else answer()
  })
}

async function serving(acceptList, use, options = {}) {
  const server = acceptList(http.createServer(options, echo))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(server, tcp(server))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const bodies = ({ answers }) => answers.map(({ body }) => body)
const statuses = ({ answers }) => answers.map(({ status }) => status)

/** Each case is called with `acceptList` and throws on a failure. */
export const LIST_CASES = {
  async 'reaches the application as GET with list=true before the other parameters'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      assert.deepEqual(bodies(await converse(connect, [list('/v1/a')], { answerCount: 1 })), ['GET /v1/a?list=true'])
      assert.deepEqual(bodies(await converse(connect, [list('/v1/a?list=false&after=b')], { answerCount: 1 })), [
        'GET /v1/a?list=true&list=false&after=b',
      ])
      assert.deepEqual(bodies(await converse(connect, [list('http://h/v1/a')], { answerCount: 1 })), [
        'GET http://h/v1/a?list=true',
      ])
    })
  },

  async 'works if it is divided into two packets anywhere, on a new connection'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const text = list('/v1/a', 'X-Token: t\r\n')
      const all = Array.from({ length: text.length - 1 }, (_, i) => [text.slice(0, i + 1), text.slice(i + 1)])
      const seen = await Promise.all(all.map((packets) => converse(connect, packets, { answerCount: 1 })))
      for (const [i, answer] of seen.entries()) assert.deepEqual(bodies(answer), ['GET /v1/a?list=true'], `split at ${i + 1}`)
    })
  },

  async 'works if it is divided into two packets anywhere, after other requests'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const text = post('/p', 'LIST / HTTP/1.1 LI') + list('/v1/a') + list('/v1/b')
      const all = Array.from({ length: text.length - 1 }, (_, i) => [text.slice(0, i + 1), text.slice(i + 1)])
      const expected = ['POST /p LIST / HTTP/1.1 LI', 'GET /v1/a?list=true', 'GET /v1/b?list=true']
      const seen = await Promise.all(all.map((packets) => converse(connect, packets, { answerCount: 3 })))
      for (const [i, answer] of seen.entries()) assert.deepEqual(bodies(answer), expected, `split at ${i + 1}`)
    })
  },

  async 'works if it is sent byte by byte'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const packets = [...list('/v1/a'), ...list('/v1/b')]
      const seen = await converse(connect, packets, { answerCount: 2 })
      assert.deepEqual(bodies(seen), ['GET /v1/a?list=true', 'GET /v1/b?list=true'])
    })
  },

  async 'works repeatedly on one connection, in one packet and one after the other'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const paths = Array.from({ length: 40 }, (_, i) => `/v1/${i}`)
      const expected = paths.map((path) => `GET ${path}?list=true`)
      const answered = await converse(connect, [paths.map((path) => list(path)).join('')], { answerCount: 40 })
      assert.deepEqual(bodies(answered), expected)
      assert.equal(answered.closed, false)
      const many = await converse(
        connect,
        paths.map((path) => list(path)),
        { answerCount: 40 },
      )
      assert.deepEqual(bodies(many), expected)
    })
  },

  async 'is answered in order between other requests, however long each takes'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const text = get('/slow/1') + list('/v1/a') + get('/2') + list('/slow/b') + list('/v1/c') + post('/3', 'LI') + list('/d')
      const expected = [
        'GET /slow/1',
        'GET /v1/a?list=true',
        'GET /2',
        'GET /slow/b?list=true',
        'GET /v1/c?list=true',
        'POST /3 LI',
        'GET /d?list=true',
      ]
      const seen = await converse(connect, [text], { answerCount: 7 })
      assert.deepEqual(bodies(seen), expected)
      assert.equal(seen.closed, false)
    })
  },

  async 'may have a body, which ends at its declared length'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const sized = `${list('/a', 'Content-Length: 14\r\n')}LIST /x HTTP/1${list('/b')}`
      assert.deepEqual(bodies(await converse(connect, [sized], { answerCount: 2 })), [
        'GET /a?list=true LIST /x HTTP/1',
        'GET /b?list=true',
      ])
      const chunked = `${list('/a', 'Transfer-Encoding: chunked\r\n')}4\r\nLIST\r\n0\r\n\r\n${get('/b')}`
      assert.deepEqual(bodies(await converse(connect, [chunked], { answerCount: 2 })), ['GET /a?list=true LIST', 'GET /b'])
      const [first, second] = [chunked.slice(0, -40), chunked.slice(-40)]
      assert.deepEqual(bodies(await converse(connect, [first, second], { answerCount: 2 })), ['GET /a?list=true LIST', 'GET /b'])
    })
  },

  async 'is refused for the same defects as a GET'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const heads = [
        'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
        'Transfer-Encoding: chunked, identity\r\n',
        'Transfer-Encoding: gzip\r\n',
        'Content-Length: 4\r\nContent-Length: 5\r\n',
        'Content-Length: -1\r\n',
        'Content-Length: 1e3\r\n',
        'Content-Length: 99999999999999999999999\r\n',
        'Bad Name: x\r\n',
        ' folded: x\r\n',
        'X: a\0b\r\n',
        `X: ${'y'.repeat(100_000)}\r\n`,
        'Host: again\r\n',
      ]
      for (const head of heads) {
        const body = '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n'
        const asList = await converse(connect, [list('/a', head) + body], { patience: 1500 })
        const asGet = await converse(connect, [get('/a', head) + body], { patience: 1500 })
        assert.deepEqual(statuses(asList), statuses(asGet), head.slice(0, 60))
        assert.equal(asList.closed, asGet.closed, head.slice(0, 60))
      }
      for (const line of [
        'LIST\r\n\r\n',
        'LIST /\r\n\r\n',
        'LIST / HTTP/9.9\r\n\r\n',
        `LIST /${'a'.repeat(200_000)} HTTP/1.1\r\n\r\n`,
      ]) {
        const seen = await converse(connect, [line], { patience: 1000 })
        const asGet = await converse(connect, [line.replace('LIST', 'GET')], { patience: 1000 })
        assert.deepEqual(statuses(seen), statuses(asGet), line.slice(0, 30))
        assert.equal(seen.closed, true, line.slice(0, 30))
      }
    })
  },

  async 'is not recognized in other verbs'(acceptList) {
    const refused = []
    await serving(acceptList, async (server, connect) => {
      server.on('clientError', (error, socket) => {
        refused.push(error.code)
        socket.end('HTTP/1.1 418 own answer\r\nContent-Length: 0\r\n\r\n')
      })
      const others = [['LISX / '], ['LIS', 'X / '], ['LI', 'SX / '], ['LISTEN '], ['LIST', 'EN / '], ['list / '], ['XLIST / ']]
      const split = [
        ['UNLIST / '],
        ['UN', 'LIST / '],
        ['UNLI', 'ST / '],
        ['LO', 'ST / '],
        ['GE', 'ST / '],
        ['NOT', 'IST / '],
        ['', 'ST / '],
      ]
      for (const packets of [...others, ...split]) {
        const [last, ...rest] = packets.reverse()
        const seen = await converse(connect, [...rest.reverse(), `${last}${HEAD}\r\n`], { patience: 1000 })
        assert.deepEqual(statuses(seen), [418], packets.join('|'))
        assert.equal(seen.closed, true)
      }
      const afterGet = await converse(connect, [`${get('/a')}UNLIST / ${HEAD}\r\n`], { patience: 1000 })
      assert.equal(statuses(afterGet).includes(418), true)
      assert.deepEqual(new Set(refused), new Set(['HPE_INVALID_METHOD']))
      refused.length = 0
      assert.deepEqual(bodies(await converse(connect, [list('/v1/a')], { answerCount: 1 })), ['GET /v1/a?list=true'])
      assert.deepEqual(refused, [])
    })
  },

  async 'does not prevent the server from refusing unknown verbs'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      for (const packets of [['LISTEN / '], ['LI', 'STEN / '], ['BREW / ']]) {
        const seen = await converse(connect, packets, { patience: 1000 })
        assert.deepEqual(statuses(seen), [400])
        assert.equal(seen.closed, true)
      }
      for (const start of ['L', 'LI', 'LIS', 'LIST']) {
        const seen = await converse(connect, [start], { halfClose: true })
        assert.equal(seen.closed, true, start)
      }
    })
  },

  async 'closes the connection if the caller or its version of HTTP requires it'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const last = await converse(connect, [list('/a', 'Connection: close\r\n')], { patience: 1000 })
      assert.deepEqual(bodies(last), ['GET /a?list=true'])
      assert.equal(last.closed, true)
      for (const first of [list, get]) {
        const pipelined = [list, get].map((second) =>
          converse(connect, [first('/slow/a', 'Connection: close\r\n') + second('/never')], { patience: 1000 }),
        )
        const [asList, asGet] = await Promise.all(pipelined)
        assert.deepEqual(statuses(asList), statuses(asGet))
        assert.deepEqual([asList.closed, asGet.closed], [true, true])
      }
      const old = await converse(connect, ['LIST /a HTTP/1.0\r\n\r\n'], { patience: 1000 })
      assert.deepEqual(bodies(old), ['GET /a?list=true'])
      assert.equal(old.closed, true)
    })
  },

  async 'is treated like a GET if the caller ends its side of the connection'(acceptList) {
    await serving(acceptList, async (server, connect) => {
      for (const halfOpen of [false, true]) {
        server.httpAllowHalfOpen = halfOpen
        for (const path of ['/a', '/slow/a']) {
          const [asList, asGet] = await Promise.all(
            [list, get].map((request) => converse(connect, [request(path)], { halfClose: true })),
          )
          assert.deepEqual(statuses(asList), statuses(asGet), `${path} ${halfOpen}`)
          assert.deepEqual([asList.closed, asGet.closed], [true, true])
        }
      }
    })
  },

  async 'works with Expect: 100-continue'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const packets = [list('/a', 'Expect: 100-continue\r\nContent-Length: 2\r\n'), 'ok', list('/b')]
      assert.deepEqual(bodies(await converse(connect, packets, { answerCount: 2 })), ['GET /a?list=true ok', 'GET /b?list=true'])
    })
  },

  async 'may have a long answer that the caller reads slowly'(acceptList) {
    await serving(acceptList, async (_, connect) => {
      const slowly = () => {
        const socket = connect()
        socket.pause()
        setTimeout(() => socket.resume(), 100)
        return socket
      }
      const seen = await converse(slowly, [list('/large') + list('/b')], { answerCount: 2 })
      assert.deepEqual(
        bodies(seen).map((body) => body.length),
        [4_000_000, 'GET /b?list=true'.length],
      )
    })
  },

  async 'allows an idle connection to be closed in its time, and keeps one that is in use'(acceptList) {
    const options = { keepAliveTimeout: 100, keepAliveTimeoutBuffer: 0 }
    await serving(
      acceptList,
      async (_, connect) => {
        const before = Date.now()
        const seen = await converse(connect, [get('/a') + list('/b')])
        assert.deepEqual(bodies(seen), ['GET /a', 'GET /b?list=true'])
        assert.equal(seen.closed, true)
        assert.ok(Date.now() - before >= 90)
        const busy = await converse(connect, [get('/a') + list('/slow/b') + list('/slow/c') + list('/slow/d')], {
          answerCount: 4,
        })
        assert.equal(busy.answers.length, 4)
      },
      options,
    )
  },

  async 'is refused in its time if its head never ends, and a served connection stays open'(acceptList) {
    const options = { headersTimeout: 1000, requestTimeout: 1000, connectionsCheckingInterval: 50, keepAliveTimeout: 60_000 }
    await serving(
      acceptList,
      async (_, connect) => {
        const refused = ['LIST /a HTTP/1.1\r\nHost: h\r\n', 'LIST', 'LIS'].map(async (start) => {
          const seen = await converse(connect, [start])
          assert.deepEqual(statuses(seen), [408], start)
          assert.equal(seen.closed, true)
        })
        const socket = connect()
        let text = ''
        socket.on('data', (chunk) => (text += chunk)).on('error', () => {})
        const answers = () => text.match(/HTTP\/1.1 200/g)?.length ?? 0
        socket.write(list('/a'))
        await until(() => answers() === 1)
        // The timeouts of a head do not run for a connection that was served.
        await Promise.all([...refused, sleep(1500)])
        socket.write(list('/b'))
        await until(() => answers() === 2)
        socket.destroy()
      },
      options,
    )
  },

  async 'is answered before a closing server ends, and idle connections are closed'(acceptList) {
    await serving(acceptList, async (server, connect) => {
      const begun = new Set()
      const answered = new Set()
      server.on('request', ({ url }, response) => {
        begun.add(url)
        response.on('finish', () => answered.add(url))
      })
      const slow = converse(connect, [get('/a') + list('/slow/a')], { answerCount: 2 })
      const idle = converse(connect, [list('/b')])
      await until(() => begun.has('/slow/a?list=true') && answered.has('/b?list=true'))
      const closed = once(server, 'close')
      server.close()
      assert.deepEqual(bodies(await idle), ['GET /b?list=true'])
      assert.equal((await idle).closed, true)
      assert.deepEqual(bodies(await slow), ['GET /a', 'GET /slow/a?list=true'])
      await closed
    })
  },

  async 'leaves no open connection after the caller has disconnected'(acceptList) {
    await serving(acceptList, async (server, connect) => {
      const gone = []
      let begun = 0
      server.on('request', (_, response) => {
        begun++
        response.on('close', () => gone.push(response.writableFinished))
      })
      const [one, other] = ['/slowest/a', '/slowest/b']
      const callers = [
        { packets: [list(one)], requests: 1 },
        { packets: [get(one) + list(other)], requests: 1 },
        { packets: ['LIS'], requests: 0 },
        { packets: [get(one), 'LI', 'ST'], requests: 1 },
      ]
      let expected = 0
      for (const { packets, requests } of callers) {
        const socket = connect()
        socket.on('error', () => {})
        for (const packet of packets) {
          socket.write(packet)
          await sleep(8)
        }
        expected += requests
        await until(() => begun >= expected)
        socket.resetAndDestroy?.()
      }
      const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
      await until(async () => gone.length >= 3 && (await open()) === 0)
      assert.deepEqual(gone, [false, false, false])
    })
  },

  async 'has the address of the caller in its socket'(acceptList) {
    await serving(acceptList, async (server, connect) => {
      const seen = []
      server.on('request', ({ socket }) => seen.push(socket.remoteAddress, typeof socket.remotePort, socket.encrypted === true))
      await converse(connect, [list('/a')], { answerCount: 1 })
      assert.deepEqual(seen, ['127.0.0.1', 'number', false])
    })
  },

  async 'works if acceptList is called twice'(acceptList) {
    await serving(
      (server) => acceptList(acceptList(server)),
      async (_, connect) => {
        assert.deepEqual(bodies(await converse(connect, [list('/a') + list('/b')], { answerCount: 2 })), [
          'GET /a?list=true',
          'GET /b?list=true',
        ])
      },
    )
  },
}
