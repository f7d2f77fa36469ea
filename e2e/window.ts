// What the tests look for in the window, by role and accessible name.

import { expect, type Locator, type Page } from '@playwright/test'

/** The row of a turn in the timeline. */
export function turnRow(page: Page, index: number): Locator {
  return page.getByRole('listbox', { name: 'Timeline' }).getByRole('option', { name: new RegExp(`^Turn ${index}:`) })
}

/** Rows of the list of changed files, or those whose name begins so. */
export function fileRow(page: Page, path: string | RegExp = /./): Locator {
  return page.getByRole('listbox', { name: 'Changed files' }).getByRole('option', { name: typeof path === 'string' ? new RegExp(`^${escape(path)}[, ]`) : path })
}

export function planRow(page: Page, path: string): Locator {
  return page.getByRole('listbox', { name: 'Files of the rewind' }).getByRole('option', { name: new RegExp(`, ${escape(path)}, `) })
}

export function receiptRow(page: Page, path: string): Locator {
  return page.getByRole('listbox', { name: 'Files of the receipt' }).getByRole('option', { name: new RegExp(`, ${escape(path)}`) })
}

export function diffPane(page: Page): Locator {
  return page.getByRole('region', { name: 'Diff' })
}

/** Waits until the session that the app opened by itself stands there with its newest turn. */
export async function waitForSession(page: Page, turns: number): Promise<void> {
  await expect(turnRow(page, turns)).toHaveAttribute('aria-selected', 'true')
}

/** Selects a turn with the pointer, and waits until its changes are listed. */
export async function selectTurn(page: Page, index: number): Promise<void> {
  await turnRow(page, index).click()
  await expect(turnRow(page, index)).toHaveAttribute('aria-selected', 'true')
}

/** Where an element stands once it has come to rest. */
export async function restingBox(element: Locator): ReturnType<Locator['boundingBox']> {
  await element.evaluate((node) => Promise.allSettled(node.getAnimations().map(({ finished }) => finished)))
  return element.boundingBox()
}

/** Waits until the lines of an editor on screen hold a text; the editor draws spaces that do not break. */
export async function expectText(editor: Locator, text: string): Promise<void> {
  const shown = async (): Promise<string> => (await editor.locator('.lines-content > .view-lines').innerText()).replaceAll('\u00a0', ' ')
  await expect.poll(shown).toContain(text)
}

/** Comes back to the window, as from an editor. */
export async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
}

/** A side of the diff; in one column both are the last. */
export function diffSide(page: Page, side: 'before' | 'after'): Locator {
  return diffPane(page).locator(side === 'before' ? '.editor.original' : '.editor.modified')
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
