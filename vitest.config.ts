import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { nativeSources } from './test/fixtures/native-sources.ts'
import { ROOMS, type Room, roomOf } from './test/rooms.ts'
import { TIER_VARIABLE, TIERS, tierOfFile } from './test/tiers.ts'

/** Files that compare times or memory of this machine. They run one at a time, before everything else. */
const MEASURED = '.measured.slow.test.ts'

const TESTS = join(import.meta.dirname, 'test')

/** All files of this room are short, so it comes last: then the workers end at about the same time. */
const LAST_ROOM: Room = 'audit'

/** Room by room, so that the workers of one room, which share the loaded sources, stay in use until its last file. */
class RoomByRoom extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const others = new Set(sorted.map(({ project }) => project.name))
    others.delete(LAST_ROOM)
    const order = [...[...others].sort(), LAST_ROOM]
    return sorted.sort((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}

export default defineConfig(({ mode }) => {
  const tier = TIERS.find((one) => one === mode) ?? 'quick'
  const paths = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && (tier === 'soak' || tierOfFile(path) === tier))
  const include = (wanted: (path: string) => boolean) => paths.filter(wanted).map((path) => `test/${path}`)

  // `vitest run` loads the compiled sources. Watch mode and `vitest list --changed` need Vite to see the sources themselves.
  const plugins = process.argv.includes('run') ? [nativeSources()] : []
  const project = (name: string, files: string[], options: object) => ({
    plugins,
    // The imports of the package itself (`#platform/*`) resolve to the sources.
    ssr: { resolve: { conditions: ['strongroom-source', 'node'] } },
    test: {
      name,
      include: files,
      exclude: configDefaults.exclude,
      pool: 'forks' as const,
      env: { [TIER_VARIABLE]: tier },
      // Only a test that hangs takes so long.
      testTimeout: tier === 'quick' ? 180_000 : 3_600_000,
      hookTimeout: tier === 'quick' ? 180_000 : 3_600_000,
      execArgv: ['--enable-source-maps'],
      // Loading the sources takes longer than most files do, so the files of one process share them.
      isolate: false,
      ...options,
    },
  })

  const rooms = ROOMS.map((room) => ({ room, files: include((path) => roomOf(path) === room && !path.endsWith(MEASURED)) }))
  const measured = include((path) => path.endsWith(MEASURED))
  return {
    test: {
      globalSetup: ['test/fixtures/postgresql/run.ts'],
      sequence: { sequencer: RoomByRoom },
      projects: [
        ...rooms
          .filter(({ files }) => files.length > 0)
          .map(({ room, files }) => project(room, files, { maxWorkers: availableParallelism(), sequence: { groupOrder: 1 } })),
        ...(measured.length > 0 ? [project('measured', measured, { maxWorkers: 1, sequence: { groupOrder: 0 } })] : []),
      ],
    },
  }
})
