/** The configuration of VitePress for the pages of this repository. */

/**
 * @param {ReturnType<typeof import('./pages.mjs').sectionsOf>} sections
 * @returns {import('vitepress').UserConfig}
 */
export const configOf = (sections) => ({
  title: 'strongroom',
  description:
    'An embeddable, in-process secrets kernel: keys, secrets, short-lived credentials and policy inside a Node application.',
  lang: 'en-US',
  cleanUrls: false,
  // The reference of the API is made by TypeDoc, after the pages.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    html: false,
    anchor: { slugify: slugOf },
    config(markdown) {
      // Vue would evaluate double braces, which templates of policies and statements contain.
      const { render } = markdown.renderer
      markdown.renderer.render = (...args) => render.apply(markdown.renderer, args).replaceAll('{{', '&#123;&#123;')
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'API', link: '/api/index.html', target: '_self' },
    ],
    sidebar: sections.map(({ name, entries }) => ({
      text: name,
      collapsed: false,
      items: entries.map(({ page }) => ({ text: page.title, link: `/${page.path}` })),
    })),
    outline: [2, 3],
  },
})

/** The anchors that the pages use: those of repository hosts. */
function slugOf(title) {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
