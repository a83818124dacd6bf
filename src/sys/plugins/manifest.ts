import type { EngineManifest } from '../../core/contract/engine-manifest.ts'

/** What a kernel knows about the catalogs of plugins before their code is loaded. */
export const PLUGINS_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'plugins',
  segments: ['plugins'],
  facades: {
    plugins: {
      path: 'sys/',
      shape: {
        methods: [
          'readCatalog',
          'listPlugins',
          'readPlugin',
          'writePlugin',
          'deletePlugin',
          'reloadPlugins',
          'writeRuntime',
          'readRuntime',
          'listRuntimes',
          'deleteRuntime',
        ],
      },
    },
  },
} satisfies EngineManifest
