/**
 * Database servers that send endless answers: the call fails after a bounded number of bytes, whichever part of the answer is endless and
 * however fast it arrives.
 */
import * as mongodb from 'mongodb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { MONGODB_FLOODS, serveMongodb } from '../../fixtures/endless/mongodb.ts'
import { MYSQL_FLOODS, serveMysql } from '../../fixtures/endless/mysql.ts'
import { POSTGRESQL_FLOODS, servePostgresql } from '../../fixtures/endless/postgresql.ts'
import { type EndlessServer, type Flood, type Pace, type Peer, startEndlessServer } from '../../fixtures/endless/server.ts'
import { runs } from '../../fixtures/runs.ts'
import { selfSigned } from '../orchestrator-kubernetes/authorities.ts'

/** The bound of an answer, and the contents of the socket buffers on both sides. */
const MAX_SENT_BYTES = 24 * 1024 * 1024

const certificate = selfSigned()

interface Row {
  readonly name: string
  readonly floods: Readonly<Record<string, Flood>>
  readonly serve: (peer: Peer, flood: Flood, pace: Pace) => void
  readonly isTlsFirst?: boolean
  readonly connect: (port: number) => Promise<unknown>
}

const live = (): AbortSignal => new AbortController().signal
const login = { username: 'root', password: 'secret-word' }
const postgresql = postgresqlPlugin({ pg })
const mysql = mysqlPlugin({ mysql2 })
const mongo = mongodbPlugin({ mongodb })

const ROWS: readonly Row[] = [
  {
    name: 'PostgreSQL',
    floods: POSTGRESQL_FLOODS,
    serve: servePostgresql,
    connect: (port) =>
      postgresql.connect(
        { ...login, connection_url: `postgresql://{{username}}:{{password}}@127.0.0.1:${port}/x?sslmode=disable` },
        live(),
      ),
  },
  {
    name: 'PostgreSQL over TLS',
    floods: POSTGRESQL_FLOODS,
    serve: (peer, flood, pace) => servePostgresql(peer, flood, pace, certificate),
    connect: (port) => {
      const connection_url = `postgresql://{{username}}:{{password}}@127.0.0.1:${port}/x?sslmode=require`
      return postgresql.connect({ ...login, connection_url }, live())
    },
  },
  {
    name: 'MySQL',
    floods: MYSQL_FLOODS,
    serve: serveMysql,
    connect: (port) => mysql.connect({ ...login, connection_url: `{{username}}:{{password}}@tcp(127.0.0.1:${port})/` }, live()),
  },
  {
    name: 'MySQL over TLS',
    floods: MYSQL_FLOODS,
    serve: (peer, flood, pace) => serveMysql(peer, flood, pace, certificate),
    connect: (port) => {
      const connection_url = `{{username}}:{{password}}@tcp(127.0.0.1:${port})/?tls=skip-verify`
      return mysql.connect({ ...login, connection_url }, live())
    },
  },
  {
    name: 'MongoDB',
    floods: MONGODB_FLOODS,
    serve: serveMongodb,
    connect: (port) => mongo.connect({ ...login, connection_url: `mongodb://127.0.0.1:${port}/` }, live()),
  },
  {
    name: 'MongoDB over TLS',
    floods: MONGODB_FLOODS,
    serve: serveMongodb,
    isTlsFirst: true,
    connect: (port) => {
      const connection_url = `mongodb://127.0.0.1:${port}/?tls=true&tlsAllowInvalidCertificates=true`
      return mongo.connect({ ...login, connection_url }, live())
    },
  },
]

let server: EndlessServer | undefined
afterEach(() => server?.stop())

describe.each(ROWS)(
  'connecting the $name plugin to a server that sends endless answers',
  ({ name, floods, serve, isTlsFirst, connect }) => {
    const shapes = Object.entries(floods)
    // Transport layers treat all messages alike, so one message is enough for TLS.
    const cases = name.endsWith('TLS') ? shapes.slice(0, runs({ quick: 1, soak: shapes.length })) : shapes
    for (const [index, [shape, flood]] of cases.entries())
      for (const pace of index < runs({ quick: 1, soak: cases.length }) ? (['fast', 'slow'] as const) : (['fast'] as const))
        it(`fails after a bounded number of bytes: ${shape}, ${pace}`, async () => {
          server = await startEndlessServer((peer) => serve(peer, flood, pace), isTlsFirst ? certificate : undefined)
          const failure = await connect(server.port).then(
            () => expect.unreachable('it connected'),
            (error: { reason?: string; message: string }) => error,
          )
          expect(failure).toMatchObject({
            reason: 'connection',
            ...(!flood.isRefusedByDriver && { code: flood.code ?? 'answer_too_long' }),
          })
          expect(failure.message).not.toContain('secret-word')
          expect(server.sent).toBeLessThan(MAX_SENT_BYTES)
          // The client closes the connection.
          await expect.poll(() => server!.flooded, { timeout: 60_000, interval: 5 }).toBe(0)
        })
  },
)
