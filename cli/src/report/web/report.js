// Starts the page of a report.

assemble([findingsSection(), questionsSection(), netSection(), shapesSection(), reductionsSection()]);
