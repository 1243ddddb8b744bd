//! Pages and the Markdown that they should become, worked out by hand.

use super::page;

fn markdown(html: &str) -> String {
    page(html).markdown
}

#[test]
fn headings_paragraphs_and_marks() {
    let html =
        "<title> A  page </title><h2>One <em>two</em></h2><p>a <b>b <strong>c</strong></b> d<i> e </i>f</p>x<br>y";
    assert_eq!(page(html).title, "A page");
    assert_eq!(markdown(html), "## One *two*\n\na **b c** d *e* f\n\nx  \ny");
}

#[test]
fn lists_nest() {
    let html = "<ul><li>a<ol start=3><li>b</li><li><p>c</p><p>d</p></li></ol></li><li>e</ul>after";
    assert_eq!(markdown(html), "* a\n  3. b\n  4. c\n\n     d\n* e\n\nafter");
}

#[test]
fn links_and_pictures() {
    let html = r#"<a href="/x y" title='t "q"'>text
        more</a> <a href="http://a.b">http://a.b</a> <a href="javascript:x()">no</a> <img src="data:image/png;base64,AAAA" alt="A">"#;
    let expected = "[text more](/x%20y \"t \\\"q\\\"\") <http://a.b> no ![A](data:image/png;base64...)";
    assert_eq!(markdown(html), expected);
}

#[test]
fn tables_keep_their_columns() {
    let html = "<table><caption>Cap</caption><tr><th>A<th>B<th>C</tr><tr><td rowspan=2>1<td colspan=2>2|3</tr><tr><td>4<td><ul><li>5<li>6</ul></tr></table>";
    let expected = "Cap\n\n| A | B | C |\n| --- | --- | --- |\n| 1 | 2\\|3 |  |\n|  | 4 | * 5 * 6 |";
    assert_eq!(markdown(html), expected);
}

#[test]
fn code_keeps_its_lines() {
    let html = "<p>Use <code>a  b</code>:</p><pre><code class='language-rust'>fn x() {\n    1\n}\n</code></pre>";
    assert_eq!(markdown(html), "Use `a b`:\n\n```rust\nfn x() {\n    1\n}\n```");
}

#[test]
fn quotes_definitions_and_hidden_parts() {
    let html =
        "<blockquote><p>a<p>b</blockquote><dl><dt>T<dd>D</dl><script>no()</script><style>no</style><p># no heading";
    assert_eq!(markdown(html), "> a\n>\n> b\n\nT\n:   D\n\n\\# no heading");
}

#[test]
fn what_stands_in_for_a_medium_is_shown() {
    let html = "<object data=moon.xml><figure><p>New moon</p></figure></object><canvas>A chart of tides</canvas>";
    assert_eq!(markdown(html), "New moon\n\nA chart of tides");
}

#[test]
fn pages_of_xhtml_keep_what_stands_behind_elements_that_end_themselves() {
    let head = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>";
    let html = format!(
        "{head}<head><title/><style/><script src='a.js' /></head><body><h1>One</h1><p>a <b/>c</p><ul><li/><li>d</li></ul>\
         <iframe src='x'/><textarea/><p><![CDATA[<e> &]]> f</p></body></html>"
    );
    let found = markdown(&html);
    assert!(found.starts_with("# One\n\na c\n"), "{found}");
    assert!(found.ends_with("\\<e> & f") || found.ends_with("<e> & f"), "{found}");
}

#[test]
fn pages_nested_without_end_keep_their_text() {
    let html = format!("{}deep<p>text", "<div>".repeat(200_000));
    let page = page(&html);
    assert!(page.flat);
    assert_eq!(page.markdown, "deep text");
    let html =
        format!("<title>T</title><h1>A</h1>{}deep{}<h1>B &amp; C</h1>", "<u>".repeat(9_000), "</u>".repeat(9_000));
    let page = super::page(&html);
    assert_eq!((page.title.as_str(), page.markdown.as_str()), ("T", "# A\n\ndeep\n\n# B & C"));
    let html = format!("{}deep{}", "<blockquote><b>".repeat(1_500), "</b></blockquote>".repeat(1_500));
    assert!(markdown(&html).contains("deep"));
    let html = format!("{}deep", "<table><tr><td>".repeat(1_000));
    assert!(markdown(&html).contains("deep"));
}

#[test]
fn declarations_within_a_document_type_are_no_text() {
    let text = "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"a\" \"b\" [\n<!ENTITY x \"y\">\n]>\n<html><body><p>one [2]></p></body></html>";
    assert_eq!(super::page(text).markdown.trim(), "one [2]>");
}

#[test]
fn a_wiki_s_page_is_its_content_under_its_title() {
    let html = "<html><head><title>Unix - Wikipedia</title></head><body><nav>You are encouraged to create an account</nav>\
        <h1 id=firstHeading><span class=mw-page-title-main>Unix</span></h1>\
        <div id=mw-content-text><p>An <a href=/wiki/OS>operating system</a>.</p></div><footer>move to sidebar</footer>";
    let page = page(html);
    assert_eq!(
        (page.title.as_str(), page.markdown.trim()),
        ("Unix - Wikipedia", "# Unix\n\nAn [operating system](/wiki/OS).")
    );
    assert_eq!((page.around > 40, super::page("<nav>Home</nav><p>text").around), (true, 0));
}

#[test]
fn a_search_is_its_results() {
    let html = "<header>HEADER</header><ol id=b_results><li class=b_ad>buy<li class=b_algo><h2><a href=\"https://www.bing.com/ck/a?p=1&amp;u=a1aHR0cHM6Ly9hLmV4YW1wbGUv\">A</a></h2><p>about <strong>a</strong></p>\
        <li class=b_algo><h2>B</h2></ol>";
    assert_eq!(markdown(html).trim(), "## [A](https://a.example/)\n\nabout **a**\n\n## B");
}

#[test]
fn of_too_many_tags_the_first_are_parsed() {
    assert_eq!(super::end_of_tags("a<b>ö</b><i>", 2), Some(10));
    assert_eq!(super::end_of_tags("a<b>ö</b>", 2), None);
}

#[test]
fn scripts_and_drawings_are_not_deep() {
    let html = format!(
        "<h1>A</h1><script>{}</script><svg>{}</svg>{}<h1>B</h1>",
        "for(i=0;i<n;i++)x+='<div>';".repeat(5_000),
        "<path/>".repeat(5_000),
        "<p><a name=x><b>".repeat(5_000)
    );
    let page = super::page(&html);
    assert!(!page.flat);
    assert!(page.markdown.starts_with("# A") && page.markdown.ends_with("# **B**"), "{}", page.markdown);
}

#[test]
fn links_around_blocks_keep_their_address() {
    let html = "<main><a href=/1><h3>One</h3><p>about one</p></a><a href=/2><img src=a.png><h3>2. Two</h3></a>\
        <a href=/3><div>Three</div></a><a href=/4><div>4. Four</div></a><a href=/5><ul><li>a<li>b</ul></a>end</main>";
    let expected = "### [One](/1)\n\nabout one\n\n![](a.png)\n\n### [2. Two](/2)\n\n[Three](/3)\n\n[4. Four](/4)\n\n\
        * a\n* b\n\n[/5](/5)\n\nend";
    assert_eq!(markdown(html), expected);
    assert_eq!(markdown("<p>see <a href=/x>1. a<br>b</a>, c"), "see [1. a b](/x), c");
}

#[test]
fn marks_around_blocks_are_around_each() {
    let html = "a<b><p>one<p>two<pre>x\n\ny</pre><h2>three</h2></b>four<i><div>five</div></i>six<b> seven </b>eight";
    let expected = "a\n\n**one**\n\n**two**\n\n```\nx\n\ny\n```\n\n## three\n\nfour\n\n*five*\n\nsix **seven** eight";
    assert_eq!(markdown(html), expected);
}

#[test]
fn code_keeps_what_its_first_line_is_indented_by_and_lines_that_are_blocks() {
    assert_eq!(markdown("<pre>\n\n    a\n  b\n</pre>"), "```\n    a\n  b\n```");
    assert_eq!(markdown("<pre><div>a</div><div>  b</div></pre>"), "```\na\n  b\n```");
    assert_eq!(
        markdown("x <code>a<br>b</code> y <h2><code>c<br>d</code></h2>"),
        "x\n\n```\na\nb\n```\n\ny\n\n## `c d`"
    );
}

#[test]
fn pictures_that_a_script_loads_are_named() {
    let html = r#"<img alt=a src="" data-src=a.jpg><img alt=b src="data:image/gif;base64,R0" data-original=b.jpg>
        <img alt=c srcset="c-1.jpg 1x, c-2.jpg 2x"><img alt=d src=d.jpg data-src=e.jpg>"#;
    assert_eq!(markdown(html), "![a](a.jpg)![b](b.jpg) ![c](c-1.jpg)![d](d.jpg)");
}

#[test]
fn code_beside_the_numbers_of_its_lines_is_code() {
    let html = "a<table class=highlighttable><tr><td><div><pre>1\n2</pre></div></td><td><div><pre><b>def</b> f():\n    x\n</pre></div></td></tr></table>b";
    assert_eq!(markdown(html), "a\n\n```\ndef f():\n    x\n```\n\nb");
    let html = "<table><tr><td><pre>1</pre><td>x<tr><td>2<td>y</table>";
    assert_eq!(markdown(html), "| 1 | x |\n| --- | --- |\n| 2 | y |");
}

#[test]
fn lists_of_word_are_lists() {
    let item = |level: u32, mark: &str, text: &str| {
        format!(
            "<p class=MsoListParagraph style='text-indent:-.25in;mso-list:l0 level{level} lfo1'><![if !supportLists]><span style='mso-list: Ignore'>{mark}<span>&nbsp;&nbsp;</span></span><![endif]>{text}<o:p></o:p></p>\n"
        )
    };
    let html =
        ["<p>List:</p>", &item(1, "·", "one"), &item(2, "o", "<b>in</b> it"), &item(1, "2)", "two"), "<p>end</p>"]
            .concat();
    assert_eq!(markdown(&html), "List:\n\n* one\n   * **in** it\n2. two\n\nend");
}

#[test]
fn formulas_are_written_once_and_tasks_are_told() {
    let formula = "<span class=katex><span class=katex-mathml><math><semantics><mi>E</mi><annotation encoding='application/x-tex'>E_0 =\n m</annotation></semantics></math></span><span class=katex-html aria-hidden=true>E=m</span></span>";
    assert_eq!(markdown(&format!("a {formula} b")), "a $E_0 = m$ b");
    assert_eq!(markdown(&format!("a<p><span class=katex-display>{formula}</span>")), "a\n\n$$E_0 = m$$");
    let html = "<ul><li><div class='checkbox checkbox-on'></div> <span>a</span></li><li data-inline-task-id=2 class=checked>b</li><li data-inline-task-id=3><p>c<p>d</li></ul>";
    assert_eq!(markdown(html), "* [x] a\n* [x] b\n* [ ] c\n\n  d");
}

#[test]
fn tables_for_the_layout_keep_what_they_hold_apart() {
    let figures = "<table><tr><td>Tea<td>2<tr><td>Milk<td>1</table>";
    let html = format!(
        "<table role=presentation><tr><td><h2>News</h2><p>One.</p><p>Two.</p></td></tr><tr><td>{figures}</td></tr>\
         <tr><td><table><tr><td>Left</td><td>Right</td></tr></table></td></tr></table>"
    );
    let expected = "## News\n\nOne.\n\nTwo.\n\n| Tea | 2 |\n| --- | --- |\n| Milk | 1 |\n\nLeft\n\nRight";
    assert_eq!(markdown(&html), expected);
    let columns = "<table><tr><td><ul><li>a<li>b</ul><td><pre>x = 1\ny = 2</pre></table>";
    assert_eq!(markdown(columns), "* a\n* b\n\n```\nx = 1\ny = 2\n```");
    // What names its columns, or has borders, or several rows and columns of its own, is a table.
    let items = "<ul><li>a<li>b</ul>";
    for html in [
        format!("<table><tr><th>Name<tr><td>{items}</table>"),
        format!("<table border=1><tr><td>Name<tr><td>{items}</table>"),
        format!("<table><tr><td>Name<td>x<tr><td>{items}<td>y</table>"),
        format!("<table><tr><td>Name<td>x<tr><td>* a * b<td>{figures}</table>"),
    ] {
        assert!(markdown(&html).contains("| * a * b |"), "{html}: {}", markdown(&html));
    }
    assert_eq!(markdown("<table><tr><td>c</table>"), "| c |\n| --- |");
}

#[test]
fn a_table_of_lines_of_code_is_a_block_without_their_numbers() {
    let line = |number: usize, code: &str| {
        format!(
            "<tr><td id=L{number} class='blob-num js-line-number' data-line-number={number}></td>\n\
             <td class='blob-code blob-code-inner js-file-line'>{code}</td></tr>\n"
        )
    };
    let rows = [line(1, "<b>def</b> f():"), line(2, "\n"), line(3, "    return 1  <i># one</i>")].concat();
    let html = format!("<div class='highlight highlight-source-python'><table>{rows}</table></div>");
    assert_eq!(markdown(&html), "```python\ndef f():\n\n    return 1  # one\n```");
    let change = "<table><tr><td class=blob-num>1<td class=blob-num>1<td class=blob-code><span data-code-marker=' '>a</span>\
        <tr><td class=blob-num>2<td class=blob-num><td class=blob-code><span data-code-marker='-'>b</span></table>";
    assert_eq!(markdown(change), "```\n a\n-b\n```");
    let beside = "<div class=line-numbers><a>1</a>\n<a>2</a></div><pre><code>x\ny</code></pre>";
    assert_eq!(markdown(beside), "```\nx\ny\n```");
    let within = "<pre><span class=linenos>1</span>x\n<span class=linenos>2</span>y</pre>";
    assert_eq!(markdown(within), "```\nx\ny\n```");
    let figures = "<table><tr><td>1<td class=code>a<tr><td>2<td class=code>b</table>";
    assert!(markdown(figures).contains("| 2 | b |"));
    for (number, line) in [("lineno", "product-code"), ("online-number", "code"), ("lineno", "airline")] {
        let goods =
            format!("<table><tr><td class={number}>1<td class={line}>a<tr><td class={number}>2<td class={line}>b");
        assert!(markdown(&goods).contains("| 2 | b |"), "{number} {line}");
    }
}

#[test]
fn pages_of_a_book_are_told_where_their_marks_stand() {
    let html = "<h1 id=one>Title</h1><p>a<span epub:type='pagebreak' title='5'/> b</p>\
        <div role='doc-pagebreak' aria-label='Page 6'></div><p>c <b><a id='seven'></a></b>d</p>";
    let pages = [("seven".to_owned(), "7".to_owned()), ("one".to_owned(), "iv".to_owned())].into();
    let ids = super::Ids { pages, ..super::Ids::default() };
    let found = super::book_page(html, &ids);
    assert_eq!(found.markdown, "# Title\n\na b\n\nc d");
    let pages =
        [(0, "iv"), (10, "5"), (14, "Page 6"), (16, "7")].map(|(at, label)| (at, super::Mark::Page(label.to_owned())));
    assert_eq!(found.pages, pages);
    assert_eq!(super::xhtml_page(html).pages, Vec::new());
}

#[test]
fn lists_of_google_and_of_words_plain_pages_have_levels() {
    let list =
        |tag: &str, level: u32, items: &str| format!("<{tag} class='c1 lst-kix_a-{level} start'>{items}</{tag}>");
    let html = list("ul", 0, "<li>a</li>") + &list("ul", 1, "<li>b</li><li>c</li>") + &list("ul", 0, "<li>d</li>");
    assert_eq!(markdown(&html), "* a\n\n   * b\n   * c\n\n* d");
    let fill = "<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp; </span>";
    let item = |style: &str, sign: &str, text: &str| {
        format!(
            "<p class=MsoListParagraphCxSpMiddle style='{style}text-indent:-.25in'><span>{sign}{fill}</span>{text}</p>"
        )
    };
    let html =
        item("", "·", "one") + &item("margin-left:1.0in;", "o", "two") + &item("margin-left:.5in;", "2.", "three");
    assert_eq!(markdown(&html), "* one\n   * two\n2. three");
    let numbered = format!("<p class=MsoListParagraph style='text-indent:-.25in'>3.{fill}four</p>");
    assert_eq!(markdown(&numbered), "3. four");
    assert_eq!(markdown("<p class=MsoListParagraph style='x:y'>no mark</p>"), "no mark");
}

#[test]
fn formulas_are_told_once_as_they_were_typed() {
    let math = "<math display=block><semantics><msup><mi>x</mi><mn>2</mn></msup>\
        <annotation encoding='application/x-tex'>x^{2}</annotation></semantics></math>";
    assert_eq!(markdown(math), "$$x^{2}$$");
    let wiki =
        "<p>a <span><math alttext='x_1'><mi>x</mi></math></span><img class=mwe-math-fallback-image-inline alt=x_1></p>";
    assert_eq!(markdown(wiki), "a $x_1$");
    assert_eq!(markdown("<math><mi>x</mi><mo>+</mo><mn>1</mn></math>"), "$x+1$");
}

#[test]
fn formulas_that_are_only_shown_are_written_as_tex() {
    for (parts, tex) in [
        ("<mfrac><mi>a</mi><mrow><mn>2</mn><mi>b</mi></mrow></mfrac>", "\\frac{a}{2b}"),
        ("<mfrac linethickness='0pt'><mi>n</mi><mi>k</mi></mfrac>", "{n \\atop k}"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>y</mi><mi>α</mi></msub>", "{x}^{2}+{y}_{α}"),
        ("<msup><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow><mn>2</mn></msup>", "{(x)}^{2}"),
        ("<msubsup><mi>x</mi><mn>0</mn><mo>′</mo></msubsup>", "{x}_{0}^{'}"),
        ("<msqrt><mi>a</mi><mo>-</mo><mi>b</mi></msqrt><mroot><mi>u</mi><mn>3</mn></mroot>", "\\sqrt{a-b}\\sqrt[3]{u}"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "\\sum_{i=0}^{n}i",
        ),
        ("<munder><mo>lim</mo><mi>n</mi></munder><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "\\lim _{n}\\sin x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mover><mi>y</mi><mi>z</mi></mover>", "\\bar{x}\\overset{z}{y}"),
        ("<munder><mi>x</mi><mo>⏟</mo></munder>", "\\underbrace{x}"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd/></mtr></mtable>",
            "\\begin{matrix}1 & 0 \\\\ 0 & \\end{matrix}",
        ),
        ("<mfenced open='[' separators=';'><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>", "\\left[a;b;c\\right)"),
        ("<mmultiscripts><mi>R</mi><mi>i</mi><none/><mprescripts/><none/><mi>j</mi></mmultiscripts>", "{}^{j}{R}_{i}"),
        (
            "<mi mathvariant='double-struck'>R</mi><mtext> if  so</mtext><mi>rank</mi>",
            "\\mathbb{R}\\text{if so}\\operatorname{rank}",
        ),
    ] {
        assert_eq!(markdown(&format!("<math>{parts}</math>")), format!("${tex}$"), "{parts}");
    }
    let apart =
        "<math>\n <msub>\n <mi>x</mi> <mrow><mn>1</mn> <mn>2</mn></mrow> </msub>\n <mo>,</mo> <mi>y</mi>\n</math>";
    assert_eq!(markdown(apart), "${x}_{1 2} , y$");
    let long = format!("<math>{}</math>", "<mn>1</mn>".repeat(9_000));
    assert_eq!(markdown(&long).len(), 9_002);
    let deep = format!("<math>{}x{}</math>", "<mrow>".repeat(300), "</mrow>".repeat(300));
    assert_eq!(markdown(&deep), "$x$");
}

#[test]
fn code_is_of_the_language_that_its_page_names_in_any_way() {
    for (html, language) in [
        ("<pre class='sourceCode rust'><code class='sourceCode rust'>x</code></pre>", "rust"),
        ("<pre><code class='hljs rust'>x</code></pre>", "rust"),
        ("<pre class='brush: rust; gutter: false'>x</pre>", "rust"),
        (
            "<div class='highlight-rust notranslate'><div class=highlight><pre><span></span>x\n</pre></div></div>",
            "rust",
        ),
        (
            "<div class='language-rust highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
            "rust",
        ),
        ("<pre class='code-rust'>x</pre>", "rust"),
        ("<pre class='code-block'><code class='code-json code-x'>x</code></pre>", "json"),
        ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>", ""),
    ] {
        assert_eq!(markdown(html), format!("```{language}\nx\n```"), "{html}");
    }
}

#[test]
fn slides_in_markdown_stay_markdown() {
    let html = "<section data-markdown><script type='text/template'>\n    ## Two\n\n    * b\n      * c\n</script></section><p>x";
    assert_eq!(markdown(html), "## Two\n\n* b\n  * c\n\nx");
}

#[test]
fn figures_beside_code_are_no_numbers_of_its_lines() {
    let sample = "<table><tr><th>Input<th>Output<tr><td><pre>10 12\n7 9\n</pre><td><pre>2\n2\n</pre></table>";
    assert!(markdown(sample).contains("10 12 7 9"), "{}", markdown(sample));
    let ports = "<table><tr><th>Port<th>Command<tr><td><pre>8080</pre><td><pre>serve</pre></table>";
    assert!(markdown(ports).contains("| 8080 | serve |"));
    let one = "<table><tr><td><pre>42</pre></td><td><pre>YES</pre></td></tr></table>";
    assert!(markdown(one).contains("42"));
    let other = "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>SELECT 1;</pre></td></tr></table>";
    assert!(markdown(other).contains("3"));
    let from_nine = "<table><tr><td><pre>9\n10\n</pre></td><td><pre>a\nb\n\n</pre></td></tr></table>";
    assert_eq!(markdown(from_nine), "```\na\nb\n```");
    let said = "<table><tr><td class=linenos><pre>7</pre></td><td><pre>a</pre></td></tr></table>";
    assert_eq!(markdown(said), "```\na\n```");
}

#[test]
fn numbers_of_clauses_stay_as_they_are() {
    let clause = |mark: &str, text: &str| {
        format!(
            "<p class=MsoListParagraph style='mso-list:l1 level2 lfo1'><span style='mso-list:Ignore'>{mark}<span style='font:7.0pt x'>&nbsp; </span></span>{text}</p>"
        )
    };
    for mark in ["4.2", "(b)", "(iv)", "§ 7", "REQ-012", "Article 5.", "a."] {
        assert_eq!(markdown(&clause(mark, "Law.")), format!("{mark} Law."), "{mark}");
    }
    for mark in ["·", "§", "o", "–", "<img src=dot.gif>", "<span style='font-family:Wingdings'>ü</span>"] {
        assert_eq!(markdown(&clause(mark, "Law.")), "* Law.", "{mark}");
    }
    assert_eq!(markdown(&clause("3)", "Law.")), "3. Law.");
    let heading = clause("4.", "End").replace("<p ", "<h1 ").replace("</p>", "</h1>");
    assert_eq!(markdown(&heading), "# 4. End");
}

#[test]
fn formulas_of_scripts_and_of_signs_alone_are_told() {
    let jax = "a <span class=MathJax_Preview></span><span class=MathJax>αβ</span><script type='math/tex'>\\alpha\\beta</script> b";
    assert_eq!(markdown(jax), "a $\\alpha\\beta$ b");
    assert_eq!(markdown("a <script type='math/tex; mode=display'>x</script><script>y</script>"), "a $$x$$");
    assert_eq!(markdown("a <span class=katex><span class=katex-html aria-hidden=true>E=m</span></span>"), "a E=m");
}

#[test]
fn code_in_a_line_is_as_it_is_and_text_begins_no_block() {
    assert_eq!(markdown("<p><code># f(<em>x</em>)</code> <code>- <b>a</b></code>"), "`# f(x)` `- a`");
    for (text, escaped) in [("# a", "\\# a"), ("```", "\\```"), ("~~~ x", "\\~~~ x"), ("-a", "-a")] {
        assert_eq!(markdown(&format!("<p>{text}</p>")), escaped);
    }
    let data = "<table><tr><td>Name<td>Parts<tr><td>a<td><table><tr><td>x<td>y<tr><td>1<td>2</table>\
        <tr><td>b<td><ul><li>one<li>two</ul></table>";
    assert_eq!(markdown(data), "| Name | Parts |\n| --- | --- |\n| a | x, y; 1, 2 |\n| b | * one * two |");
    let spanned = "<table><tr><td rowspan=2>a<td>b<td><hr><tr><td><table><tr><td>c<tr><td>d</table><td>e</table>";
    assert_eq!(markdown(spanned), "| a | b | --- |\n| --- | --- | --- |\n|  | c d | e |");
    let mail =
        "<table><tr><td><h1>Bill</h1><td>Acme<tr><td><table><tr><th>Item<th>Net<tr><td>Pen<td>5</table><td>x</table>";
    assert_eq!(markdown(mail), "# Bill\n\nAcme\n\n| Item | Net |\n| --- | --- |\n| Pen | 5 |\n\nx");
    for inner in ["<ul><li>a</ul><td><ul><li>b</ul>", "<h2>a</h2><td>b", "<table><tr><th>a</table><td><hr>"] {
        let placed = format!("<table><tr><td>x<td><table><tr><td>1<td>2<tr><td>3<td>4</table><tr><td>{inner}</table>");
        assert!(!markdown(&placed).contains("| x |"), "{inner}");
    }
    let nested = "<table><tr><td>x<td><table><tr><td>1<td>2<tr><td><td>3</table><tr><td><ul><li>a<ul><li>b</ul></ul><td>c</table>";
    assert!(markdown(nested).contains("| x | 1, 2; –, 3 |"));
    let placed = "<table><tr><td><table><tr><td>x</table><td><hr><tr><td>b</table>";
    assert!(!markdown(placed).contains('|'));
}

#[test]
fn code_in_a_line_may_hold_backticks() {
    for (code, shown) in
        [("```", "```` ``` ````"), ("`a`", "`` `a` ``"), ("a`b", "``a`b``"), ("a``b`c", "```a``b`c```"), ("a", "`a`")]
    {
        assert_eq!(markdown(&format!("<p><code>{code}</code> x</p>")), format!("{shown} x"));
    }
}

#[test]
fn text_begins_no_html_that_hides_what_follows() {
    for name in ["script", "PRE", "!--", "?php", "!DOCTYPE"] {
        let page = format!("<h1>One</h1><p>&lt;{name}&gt; is told.<br>&lt;{name}&gt;</p><h2>Two</h2>");
        assert_eq!(markdown(&page), format!("# One\n\n\\<{name}> is told.  \n\\<{name}>\n\n## Two"));
    }
}

#[test]
fn text_makes_no_heading_of_a_line() {
    for (html, shown) in [
        ("<p>Best,<br>--<br>A", "Best,  \n\\--  \nA"),
        ("<p>Sum<br/> === </p>", "Sum  \n\\==="),
        ("<p>y<br>= 5 m<br>-- a", "y  \n= 5 m  \n-- a"),
        ("<p>---</p><p>===</p>", "---\n\n==="),
        ("<p>&gt; # a<br>&gt;# b", "> \\# a  \n>\\# b"),
        ("<p>1. # a</p><p>* ## b", "1. \\# a\n\n* \\## b"),
        ("<p>1. a</p><p>&gt; b</p><p>* c", "1. a\n\n> b\n\n* c"),
        ("<p>Room # 4</p><p>1. #tag", "Room # 4\n\n1. #tag"),
        ("<p>1. <code># a</code>", "1. `# a`"),
    ] {
        assert_eq!(markdown(html), shown);
    }
}

#[test]
fn two_breaks_of_a_line_part_paragraphs() {
    assert_eq!(markdown("<td>a<br>\n b<br><br>c <br>\n<br/><br>d<br></td>"), "a  \nb\n\nc\n\nd");
    assert_eq!(markdown("<b>a<br><br>b</b><pre>c<br><br>d</pre>"), "**a**\n\n**b**\n\n```\nc\n\nd\n```");
    assert_eq!(markdown("<table><tr><th>a<br><br>b"), "| a b |\n| --- |");
}

#[test]
fn brackets_in_what_a_picture_shows_leave_it_a_picture() {
    assert_eq!(markdown("<img src=a alt='[1] b'>"), "![[1] b](a)");
    assert_eq!(markdown("<img src=a alt='b ] [c'>"), "![b \\] \\[c](a)");
}

#[test]
fn code_holds_no_links_and_no_pictures() {
    let block = "<pre><code>fn a(b: <a href='x.html' title='struct X'>X</a>) -> <img src=a.png alt='a  pic'>\n</code>\
        <a href=y>y</a></pre>";
    assert_eq!(markdown(block), "```\nfn a(b: X) -> a pic\ny\n```");
    assert_eq!(markdown("<code>a <a href=x>X</a> <img src=p alt=q></code> b"), "`a X q` b");
    // Code that is a link, and a link that is code, are both.
    for html in ["<code> <a href=x>X</a></code>", "<a href=x><code>X</code></a>"] {
        assert_eq!(markdown(html), "[`X`](x)");
    }
    assert_eq!(markdown("<code><a name=x>X</a></code> <code><a href=x></a></code>b"), "`X` b");
    // Without text there is no code.
    assert_eq!(markdown("a<pre><a href=x><img src=p alt=q></a></pre>b"), "a\n\n[![q](p)](x)\n\nb");
}

#[test]
fn what_stands_in_for_a_medium_is_no_part_of_the_words_beside_it() {
    let html =
        "<p>a<video src=v>No video</video><svg><title>Drawing</title><text>one</text><text>two</text></svg>b</p>";
    assert_eq!(markdown(html), "a No video Drawing one two b");
    // Nothing is parted by what shows no text, and a sign stands as close to it as to any word.
    assert_eq!(markdown("wo<svg><style>a{}</style><path d='M0'/></svg>rd<video src=v></video>s"), "words");
    assert_eq!(markdown("(<object>one</object>, <canvas>two</canvas>)"), "(one, two)");
}
