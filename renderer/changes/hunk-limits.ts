/** With more hunks than this no lines are laid between them: the editor would spend its time on their places. */
export const mostHeads = 300

/** In so many characters of changed lines words are marked: a question is to be on the screen at once, however large. */
export const markedUnits = 200_000
